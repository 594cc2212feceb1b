/** Chooses the agent that a client acts as, from those that the config knows. */

import { useT } from "../../i18n/index.ts";
import { useQueryRpc } from "../../rpc/hooks.ts";
import { Picker } from "../../ui/Picker.tsx";

export interface AgentPickerProps {
  value: string;
  onChange: (agentId: string) => void;
  /** Offers "decide later": the client starts unmapped. */
  mayBeEmpty?: boolean;
}

export function AgentPicker({ value, onChange, mayBeEmpty = false }: AgentPickerProps) {
  const t = useT("clients");
  const agents = useQueryRpc("policy.contexts", {}).data?.agents ?? [];
  const options = agents.map((agent) => ({
    value: agent.id,
    label: agent.id,
    ...(agent.isDefault ? { hint: t("field.agentDefault") } : {}),
  }));
  if (mayBeEmpty) options.unshift({ value: "", label: t("field.agentLater") });
  else if (!options.some((option) => option.value === value)) options.push({ value, label: value });
  return <Picker look="field" label={t("field.agent")} value={value} options={options} onChange={onChange} />;
}
