/** What a service that makes pictures is asked, and what it gives. One file per service beside this one. */

import type { Resolution } from "../../../../shared/media/index.ts";
import type { ModelRequest } from "../models/modelHttp.ts";
import type { ReadyService } from "../models/services.ts";

export interface GenerateOrder {
  model: string;
  prompt: string;
  count: number;
  size?: string | undefined;
  aspectRatio?: string | undefined;
  resolution?: Resolution | undefined;
  references: readonly { mimeType: string; base64: string }[];
  /** Rule media.keyInHeader. */
  isKeyInHeader: boolean;
}

export interface GeneratedPicture {
  bytes: Buffer;
  revisedPrompt?: string | undefined;
}

export interface GeneratorCall {
  service: ReadyService;
  order: GenerateOrder;
  /** @throws AppError as `sendToModel` */
  send(request: ModelRequest): Promise<unknown>;
  /** Loads a picture from an address that the service gave: public ones only. */
  download(url: string): Promise<Buffer>;
}

export interface Generator {
  id: string;
  label: string;
  models: readonly string[];
  timeoutMs: number;
  /** @returns at least one picture; @throws AppError kind bad_answer when there is none */
  generate(call: GeneratorCall): Promise<GeneratedPicture[]>;
}
