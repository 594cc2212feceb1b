/** How a new request asks for attention: silent, badge, notify or raise. Never takes the focus (A4). */

import { app, Notification } from "electron";
import type { ApprovalRequest, UiSettings } from "../../shared/contract/index.ts";
import type { MainText } from "../../shared/text/mainText.ts";
import type { Logger } from "../runtime/logging/logger.ts";
import type { Windows } from "./windows.ts";

export interface AttentionDeps {
  windows: Windows;
  logger: Logger;
  level(): UiSettings["attention"];
  text(): MainText;
  deny(approvalId: string): void;
}

export interface Attention {
  arrived(request: ApprovalRequest): void;
  /** Closes the notification of a request that no longer waits. */
  left(approvalId: string): void;
  setBadge(pending: number): void;
  dispose(): void;
}

const bodyMaxLength = 120;
/** A burst of requests must not bury the desktop: the others are in the badge, the tray and the inbox. */
const maxShown = 3;

export function createAttention(deps: AttentionDeps): Attention {
  const shown = new Map<string, Notification>();

  const notify = (request: ApprovalRequest) => {
    if (shown.size >= maxShown || !Notification.isSupported()) return;
    const text = deps.text();
    const notification = new Notification({
      title: text.notifyTitle(request.agentId),
      // Control characters would let a command draw its own notification text.
      body: request.command.replace(/[\p{Cc}\p{Cf}]+/gu, " ").slice(0, bodyMaxLength),
      silent: true,
      actions: [{ type: "button", text: text.notifyDeny }],
    });
    notification.on("click", () => deps.windows.showPanel("/approvals"));
    // The only act a notification offers is Deny; Allow opens the prompt (A16).
    notification.on("action", () => deps.deny(request.id));
    notification.on("close", () => shown.delete(request.id));
    notification.on("failed", (_event, error) => deps.logger.warn("notification.failed", { error }));
    shown.set(request.id, notification);
    notification.show();
  };

  return {
    arrived(request) {
      const level = deps.level();
      if (level === "silent" || level === "badge") return;
      // The panel in use already shows it, in its own place and without moving anything.
      if (deps.windows.isPanelInUse()) return;
      if (level === "raise") deps.windows.showApproval();
      else notify(request);
    },
    left(approvalId) {
      shown.get(approvalId)?.close();
      shown.delete(approvalId);
    },
    setBadge(pending) {
      if (deps.level() !== "silent") app.setBadgeCount(pending);
    },
    dispose() {
      for (const notification of shown.values()) notification.close();
      shown.clear();
    },
  };
}
