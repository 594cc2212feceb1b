/** Which agent, owner and model a client counts as. Saved with one press; the words beside it say where it stands. */

import { type FormEvent, useState } from "react";
import type { McpClient } from "../../../shared/contract/index.ts";
import { useT } from "../../i18n/index.ts";
import { useMutationRpc } from "../../rpc/hooks.ts";
import { Button } from "../../ui/Button.tsx";
import { Field } from "../../ui/Field.tsx";
import { ErrorState } from "../../ui/States.tsx";
import { AgentPicker } from "./AgentPicker.tsx";

export function MappingForm({ client }: { client: McpClient }) {
  const t = useT("clients");
  const [agentId, setAgentId] = useState(client.agentId);
  const [isOwner, setIsOwner] = useState(client.isOwner);
  const [provider, setProvider] = useState(client.provider ?? "");
  const [model, setModel] = useState(client.model ?? "");
  const update = useMutationRpc("clients.update");
  const isChanged =
    client.mapping === "unmapped" ||
    agentId !== client.agentId ||
    isOwner !== client.isOwner ||
    provider !== (client.provider ?? "") ||
    model !== (client.model ?? "");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    update.mutate({
      id: client.id,
      agentId,
      isOwner,
      provider: provider.trim() === "" ? null : provider.trim(),
      model: model.trim() === "" ? null : model.trim(),
    });
  };
  return (
    <form className="stack client-form" onSubmit={submit}>
      <h3>{t("mapping.title")}</h3>
      <AgentPicker value={agentId} onChange={setAgentId} />
      <div className="client-columns">
        <Field label={t("field.provider")} hint={t("field.providerHint")}>
          {(control) => (
            <input
              {...control}
              className="input evidence"
              value={provider}
              onChange={(event) => setProvider(event.target.value)}
            />
          )}
        </Field>
        <Field label={t("field.model")} hint={t("field.modelHint")}>
          {(control) => (
            <input
              {...control}
              className="input evidence"
              value={model}
              onChange={(event) => setModel(event.target.value)}
            />
          )}
        </Field>
      </div>
      <label className="row client-owner">
        <input type="checkbox" checked={isOwner} onChange={(event) => setIsOwner(event.target.checked)} />
        <span>{t("field.owner")}</span>
      </label>
      {update.isError ? <ErrorState title={t("mapping.failed")} error={update.error} /> : null}
      <div className="row">
        <Button size="primary" type="submit" disabled={!isChanged || update.isPending}>
          {client.mapping === "unmapped" ? t("mapping.map") : t("mapping.save")}
        </Button>
        <span className="second" role="status">
          {update.isPending
            ? t("mapping.saving")
            : isChanged && client.mapping === "mapped"
              ? t("mapping.unsaved")
              : update.isSuccess
                ? t("mapping.applied")
                : null}
        </span>
      </div>
    </form>
  );
}
