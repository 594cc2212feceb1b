/** Status, settings, broad mode and "Try it" over the contract. */

import type { SallyportContract, UiSettings } from "../../../shared/contract/index.ts";
import type { Handlers } from "../../../shared/rpc/index.ts";
import type { Clock } from "../clock.ts";
import type { SettingsStore } from "../config/index.ts";
import type { LedgerRecorder } from "../ledgerRecorder.ts";
import type { BroadMode } from "../mode/broadMode.ts";
import type { StatusDesk } from "../status.ts";
import type { TryoutDesk } from "../tryout.ts";

type Methods = SallyportContract["methods"];
type AppMethods = Extract<
  keyof Methods,
  "health" | `app.${string}` | `ui.${string}` | `mode.${string}` | `tryout.${string}`
>;

export function createAppHandlers(deps: {
  status: StatusDesk;
  settings: SettingsStore;
  broadMode: BroadMode;
  clock: Clock;
  tryout: TryoutDesk;
  recorder: LedgerRecorder;
}): Pick<Handlers<SallyportContract>, AppMethods> {
  const { status, settings, broadMode, clock, tryout, recorder } = deps;
  const startedAtMs = clock.nowMs();
  return {
    health: () => ({ ok: true, status: "live", uptimeMs: clock.nowMs() - startedAtMs }),
    "app.status": () => status.current(),
    "ui.settings.get": () => settings.settings().ui,
    "ui.settings.set": async (change): Promise<UiSettings> => {
      const edits = Object.entries(change)
        .filter(([, value]) => value !== undefined)
        .map(([key, value]) => ({ op: "set" as const, path: ["ui", key], value }));
      return edits.length === 0 ? settings.settings().ui : (await settings.update(edits)).ui;
    },
    "mode.restore": async (_input, { principal }) => {
      recorder.record("mode.restored", principal.id, {});
      const mode = await broadMode.restore();
      status.announce();
      return mode;
    },
    "mode.confirmBroad": async (input, { principal }) => {
      const mode = await broadMode.confirm(input, principal.id);
      recorder.record("mode.broadConfirmed", principal.id, { endsAtMs: input.endsAtMs, mode });
      status.announce();
      return mode;
    },
    "tryout.start": () => tryout.start(),
    "tryout.stop": () => {
      tryout.stop();
      return {};
    },
  };
}
