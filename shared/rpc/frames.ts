/** Frames of the Gateway protocol (version 3): the same over IPC, WebSocket and memory. */

import { z } from "zod";
import { AppError, type ErrorCode, errorCodes, type WireError } from "../errors/index.ts";

export const protocolVersion = 3;

export const requestFrame = z.object({
  type: z.literal("req"),
  id: z.string().min(1).max(128),
  method: z.string().min(1).max(128),
  params: z.unknown().optional(),
});
export type RequestFrame = z.infer<typeof requestFrame>;

export const frameError = z.object({
  code: z.string(),
  message: z.string(),
  details: z.record(z.string(), z.unknown()).optional(),
  retryable: z.boolean().optional(),
  retryAfterMs: z.number().optional(),
});
export type FrameError = z.infer<typeof frameError>;

export const responseFrame = z.object({
  type: z.literal("res"),
  id: z.string(),
  ok: z.boolean(),
  payload: z.unknown().optional(),
  error: frameError.optional(),
});
export type ResponseFrame = z.infer<typeof responseFrame>;

export const eventFrame = z.object({
  type: z.literal("event"),
  event: z.string(),
  payload: z.unknown().optional(),
  /** Counts broadcasts of one connection from 1; absent on targeted events such as the challenge. */
  seq: z.number().int().optional(),
});
export type EventFrame = z.infer<typeof eventFrame>;

export type Frame = RequestFrame | ResponseFrame | EventFrame;

/** Our own method that ends a running request; OpenClaw's protocol has no such frame. */
export const cancelMethod = "sallyport.cancel";

/**
 * The protocol knows six error codes; ours travels in `details.code` beside them.
 * Bad input, unknown names and refusals are INVALID_REQUEST, everything else UNAVAILABLE.
 */
export function toFrameError(wire: WireError): FrameError {
  const isRequestFault = [
    "INVALID_INPUT",
    "NOT_FOUND",
    "FORBIDDEN",
    "UNAUTHENTICATED",
    "POLICY_DENIED",
  ].includes(wire.code);
  return {
    code: isRequestFault ? "INVALID_REQUEST" : "UNAVAILABLE",
    message: wire.message,
    details: { code: wire.code, ...(wire.data === undefined ? {} : { data: wire.data }) },
  };
}

/** Reads an error of ours or of another Gateway back into an AppError. */
export function fromFrameError(error: FrameError): AppError {
  const code = error.details?.code;
  const data = error.details?.data;
  const known = errorCodes.find((candidate): candidate is ErrorCode => candidate === code);
  return new AppError(
    known ?? (error.code === "INVALID_REQUEST" ? "INVALID_INPUT" : "UNAVAILABLE"),
    error.message,
    {
      ...(typeof data === "object" && data !== null ? { data: data as Record<string, unknown> } : {}),
    },
  );
}
