/** Side effects of a repair in sentences: what else opens and closes here, and for whom elsewhere. */

import { useT } from "../../../i18n/index.ts";
import type { SideEffects } from "../model/sideEffects.ts";
import { Rich } from "../Rich.tsx";

export function EffectText({ effects }: { effects: SideEffects }) {
  const t = useT("policy");
  const { here, sameAgent, elsewhere } = effects;
  const opens = [...here.opens, ...sameAgent.opens];
  const closes = [...here.closes, ...sameAgent.closes];
  const agentsOf = (key: "opens" | "closes") =>
    elsewhere
      .filter((other) => other[key].length > 0)
      .map((other) => `${other.agent} (${shortList(other[key])})`);
  const opensFor = agentsOf("opens");
  const closesFor = agentsOf("closes");
  return (
    <>
      {opens.length === 0 ? null : <Rich t={t} k="missing.opensAlso" values={{ tools: shortList(opens) }} />}{" "}
      {closes.length === 0 ? null : (
        <Rich t={t} k="missing.closesAlso" values={{ tools: shortList(closes) }} />
      )}{" "}
      {opensFor.length === 0 ? null : (
        <Rich t={t} k="missing.opensFor" values={{ agents: shortList(opensFor) }} />
      )}{" "}
      {closesFor.length === 0 ? null : (
        <Rich t={t} k="missing.closesFor" values={{ agents: shortList(closesFor) }} />
      )}
    </>
  );
}

export function shortList(names: readonly string[]): string {
  return names.length <= 5 ? names.join(", ") : `${names.slice(0, 5).join(", ")} +${names.length - 5}`;
}
