/** Calls as MCP tasks: a client that supports them gets a task at once and fetches the result when a person has answered. */

import { InMemoryTaskStore } from "@modelcontextprotocol/sdk/experimental/tasks/stores/in-memory.js";
import type { RequestTaskStore } from "@modelcontextprotocol/sdk/shared/protocol.js";
import {
  type CallToolResult,
  type CreateTaskResult,
  ErrorCode,
  type Task,
} from "@modelcontextprotocol/sdk/types.js";
import type { Logger } from "../../runtime/logging/logger.ts";
import { JsonRpcError } from "./outcomes.ts";

const defaultTtlMs = 60 * 60_000;
const maxTtlMs = 24 * 60 * 60_000;
/** The store takes 0 for "for ever". */
const minTtlMs = 1000;
/** Each keeps its result until its time is over. */
const maxTasks = 256;
const pollIntervalMs = 1000;

export interface CallTasks {
  store: InMemoryTaskStore;
  /**
   * Starts the call and answers with its task; the result is stored when the call ends.
   * @throws JsonRpcError when the session keeps too many tasks
   */
  start(
    taskStore: RequestTaskStore,
    requestedTtlMs: number | null | undefined,
    run: (control: { signal: AbortSignal; onProgress: (text: string) => void }) => Promise<CallToolResult>,
  ): Promise<CreateTaskResult>;
  /** Aborts what runs and forgets every task: the session has ended. */
  close(): void;
}

/** One per MCP session. */
export function createCallTasks(logger: Logger): CallTasks {
  const running = new Map<string, AbortController>();

  class CancellingTaskStore extends InMemoryTaskStore {
    override async updateTaskStatus(
      taskId: string,
      status: Task["status"],
      statusMessage?: string,
      sessionId?: string,
    ): Promise<void> {
      await super.updateTaskStatus(taskId, status, statusMessage, sessionId);
      // `tasks/cancel` arrives as a status: it must also end the call.
      if (status === "cancelled") running.get(taskId)?.abort();
    }
  }
  const store = new CancellingTaskStore();

  return {
    store,
    async start(taskStore, requestedTtlMs, run) {
      if (store.getAllTasks().length >= maxTasks)
        throw new JsonRpcError(
          ErrorCode.InvalidRequest,
          `This session keeps ${maxTasks} tasks already. Call without a task, or give tasks a shorter ttl.`,
        );
      const ttl = Math.min(Math.max(requestedTtlMs ?? defaultTtlMs, minTtlMs), maxTtlMs);
      const task = await taskStore.createTask({ ttl, pollInterval: pollIntervalMs });
      const controller = new AbortController();
      running.set(task.taskId, controller);
      let isOver = false;
      let lastUpdate: Promise<void> = Promise.resolve();
      const onProgress = (text: string) => {
        lastUpdate = lastUpdate.then(async () => {
          if (isOver || controller.signal.aborted) return;
          await taskStore.updateTaskStatus(task.taskId, "working", text.slice(0, 500));
        });
        lastUpdate = lastUpdate.catch((error: unknown) => logger.warn("mcp.taskStatusFailed", { error }));
      };
      const finish = async (status: "completed" | "failed", result: CallToolResult) => {
        await lastUpdate;
        isOver = true;
        // A cancelled task keeps that status, and takes no result.
        if (!controller.signal.aborted) await taskStore.storeTaskResult(task.taskId, status, result);
      };
      run({ signal: controller.signal, onProgress })
        .then(
          (result) => finish(result.isError === true ? "failed" : "completed", result),
          (error: unknown) => {
            logger.error("mcp.taskFailed", { taskId: task.taskId, error });
            const text = "The call failed inside Sallyport. Its log has the details.";
            return finish("failed", { isError: true, content: [{ type: "text", text }] });
          },
        )
        .catch((error: unknown) => logger.error("mcp.taskResultLost", { taskId: task.taskId, error }))
        .finally(() => running.delete(task.taskId));
      return { task };
    },
    close() {
      for (const controller of running.values()) controller.abort();
      running.clear();
      store.cleanup();
    },
  };
}
