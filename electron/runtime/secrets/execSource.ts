/** Asks a program for secrets: no shell, nothing of our environment, limited time and output. */

import { spawn } from "node:child_process";
import { dirname } from "node:path";
import { guardPath } from "./pathGuard.ts";
import { type ExecProvider, refProblem } from "./providers.ts";
import type { SecretRef } from "./secretRef.ts";

type Ended = { kind: "exited"; exitCode: number | null; stdout: string } | { kind: "failed"; why: string };

/**
 * One process for all references of an alias.
 * @param processEnv where `passEnv` takes its values from
 * @throws AppError UNAVAILABLE; what the program printed is in no message
 * @see supplement.md §3.2 (exec protocol)
 */
export async function runExecSecrets(
  refs: readonly SecretRef[],
  provider: ExecProvider,
  processEnv: Readonly<Record<string, string | undefined>>,
): Promise<unknown[]> {
  const [first] = refs;
  if (first === undefined) return [];
  const guarded = await guardPath(provider.command, {
    isPrivate: false,
    trustedDirs: provider.trustedDirs,
    allowSymlink: provider.allowSymlinkCommand,
    allowInsecure: provider.allowInsecurePath,
  });
  if (!guarded.ok) throw refProblem(first, guarded.problem);
  const env: Record<string, string> = {};
  for (const name of provider.passEnv) {
    const value = processEnv[name];
    if (value !== undefined) env[name] = value;
  }
  const request = JSON.stringify({
    protocolVersion: 1,
    provider: first.provider,
    ids: refs.map((ref) => ref.id),
  });
  const ended = await runOnce(guarded.path, provider, { ...env, ...provider.env }, request);
  if (ended.kind === "failed") throw refProblem(first, `${provider.command} ${ended.why}`);
  if (ended.exitCode !== 0)
    throw refProblem(first, `${provider.command} ended with ${ended.exitCode ?? "a signal"}`);
  const answer = parseAnswer(ended.stdout);
  if (answer === null) {
    if (provider.jsonOnly || refs.length !== 1)
      throw refProblem(first, `${provider.command} did not answer in the protocol`);
    return [plainValue(ended.stdout)];
  }
  return refs.map((ref) => {
    if (Object.hasOwn(answer.errors, ref.id))
      throw refProblem(ref, `${provider.command} reports an error for it`);
    if (!Object.hasOwn(answer.values, ref.id)) throw refProblem(ref, `${provider.command} did not give it`);
    return answer.values[ref.id];
  });
}

function runOnce(
  file: string,
  provider: ExecProvider,
  env: Record<string, string>,
  input: string,
): Promise<Ended> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    let isSettled = false;
    const child = spawn(file, provider.args, {
      cwd: dirname(file),
      env,
      stdio: ["pipe", "pipe", "pipe"],
      shell: false,
      // Its own group, so that helpers it started end with it.
      detached: process.platform !== "win32",
      windowsHide: true,
    });
    const finish = (ended: Ended) => {
      if (isSettled) return;
      isSettled = true;
      clearTimeout(whole);
      clearTimeout(silence);
      if (ended.kind === "failed") endGroup(child.pid);
      child.stdout.destroy();
      child.stderr.destroy();
      resolve(ended);
    };
    const whole = setTimeout(
      () => finish({ kind: "failed", why: `gave no answer within ${provider.timeoutMs} ms` }),
      provider.timeoutMs,
    );
    const quietMs = provider.noOutputTimeoutMs ?? provider.timeoutMs;
    const silence = setTimeout(
      () => finish({ kind: "failed", why: `printed nothing for ${quietMs} ms` }),
      quietMs,
    );
    const count = (chunk: Buffer, isAnswer: boolean) => {
      silence.refresh();
      bytes += chunk.length;
      if (bytes > provider.maxOutputBytes)
        finish({ kind: "failed", why: `printed more than ${provider.maxOutputBytes} bytes` });
      else if (isAnswer) chunks.push(chunk);
    };
    child.stdout.on("data", (chunk: Buffer) => count(chunk, true));
    child.stderr.on("data", (chunk: Buffer) => count(chunk, false));
    child.once("error", () => finish({ kind: "failed", why: "cannot be started" }));
    child.once("close", (exitCode) =>
      finish({ kind: "exited", exitCode, stdout: Buffer.concat(chunks).toString("utf8") }),
    );
    // A program that needs no request may close its input early.
    child.stdin.on("error", () => {});
    child.stdin.end(input);
  });
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === "win32" ? pid : -pid, "SIGKILL");
  } catch {
    // Gone already.
  }
}

function parseAnswer(
  stdout: string,
): { values: Record<string, unknown>; errors: Record<string, unknown> } | null {
  const parsed = parseJson(stdout);
  if (!isRecord(parsed) || parsed.protocolVersion !== 1 || !isRecord(parsed.values)) return null;
  return { values: parsed.values, errors: isRecord(parsed.errors) ? parsed.errors : {} };
}

function plainValue(stdout: string): string {
  const parsed = parseJson(stdout);
  return typeof parsed === "string" ? parsed : stdout.trim();
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON: the caller decides what that means.
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
