/** The tray item: how many approvals wait, and the few acts that need no window. */

import { join } from "node:path";
import { Menu, nativeImage, Tray } from "electron";
import type { MainText } from "../../shared/text/mainText.ts";

export interface AppTray {
  /** Counts pending approvals only (A16). */
  update(pending: number, isBroad: boolean): void;
  setText(text: MainText): void;
  dispose(): void;
}

export interface TrayDeps {
  iconsDir: string;
  text: MainText;
  onOpen(): void;
  onOpenApprovals(): void;
  onQuit(): void;
}

export function createTray(deps: TrayDeps): AppTray {
  const plain = nativeImage.createFromPath(join(deps.iconsDir, "tray.png"));
  const waiting = nativeImage.createFromPath(join(deps.iconsDir, "trayWaiting.png"));
  const tray = new Tray(plain);
  let text = deps.text;
  let state = { pending: 0, isBroad: false };

  const show = () => {
    const { pending, isBroad } = state;
    tray.setImage(pending > 0 && !waiting.isEmpty() ? waiting : plain);
    const summary = pending === 0 ? text.trayNothing : text.trayPending(pending);
    tray.setToolTip(`Sallyport · ${summary}${isBroad ? ` · ${text.trayBroad}` : ""}`);
    tray.setContextMenu(
      Menu.buildFromTemplate([
        { label: summary, enabled: pending > 0, click: deps.onOpenApprovals },
        { type: "separator" },
        { label: text.trayOpen, click: deps.onOpen },
        { label: text.trayQuit, click: deps.onQuit },
      ]),
    );
  };
  tray.on("click", () => (state.pending > 0 ? deps.onOpenApprovals() : deps.onOpen()));
  show();

  return {
    update(pending, isBroad) {
      if (pending === state.pending && isBroad === state.isBroad) return;
      state = { pending, isBroad };
      show();
    },
    setText(next) {
      text = next;
      show();
    },
    dispose: () => tray.destroy(),
  };
}
