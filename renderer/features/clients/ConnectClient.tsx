/** Connects a new client: a name, then how to start it, with its token shown once. */

import { type FormEvent, useState } from "react";
import type { McpClient } from "../../../shared/contract/index.ts";
import { useT } from "../../i18n/index.ts";
import { useLive, useMutationRpc } from "../../rpc/hooks.ts";
import { Button } from "../../ui/Button.tsx";
import { Field } from "../../ui/Field.tsx";
import { Segmented } from "../../ui/Segmented.tsx";
import { ErrorState } from "../../ui/States.tsx";
import { VerdictShape } from "../../ui/Verdict.tsx";
import { AgentPicker } from "./AgentPicker.tsx";
import { ConnectInstructions } from "./ConnectInstructions.tsx";

const maxNameLength = 64;

/** @param onClose gets the id of the client that was made, or null */
export function ConnectClient({ onClose }: { onClose: (id: string | null) => void }) {
  const t = useT("clients");
  const [name, setName] = useState("");
  const [agentId, setAgentId] = useState("");
  const [way, setWay] = useState<"stdio" | "http">("stdio");
  const create = useMutationRpc("clients.create");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() === "" || create.isPending) return;
    create.mutate({ name: name.trim(), ...(agentId === "" ? {} : { agentId }) });
  };
  return (
    <div className="client-detail">
      <h2 className="view-title">{t("connect.title")}</h2>
      <Segmented
        label={t("connect.way")}
        value={way}
        options={[
          { value: "stdio", label: t("connect.stdio") },
          { value: "http", label: t("connect.http") },
        ]}
        onChange={setWay}
      />
      {way === "stdio" ? (
        <StdioWay onClose={onClose} />
      ) : create.data === undefined ? (
        <form className="stack client-form" onSubmit={submit}>
          <Field label={t("field.name")} hint={t("field.nameHint")}>
            {(control) => (
              <input
                {...control}
                className="input"
                maxLength={maxNameLength}
                value={name}
                onChange={(event) => setName(event.target.value)}
              />
            )}
          </Field>
          <AgentPicker value={agentId} onChange={setAgentId} mayBeEmpty />
          {create.isError ? <ErrorState title={t("connect.failed")} error={create.error} /> : null}
          <div className="row">
            <Button
              size="primary"
              look="filled"
              type="submit"
              disabled={name.trim() === "" || create.isPending}
            >
              {t("connect.create")}
            </Button>
            <Button size="primary" look="plain" onClick={() => onClose(null)}>
              {t("cancel")}
            </Button>
          </div>
        </form>
      ) : (
        <>
          <ConnectInstructions
            way="http"
            token={create.data.token}
            isMapped={create.data.client.mapping === "mapped"}
          />
          <Arrival isThisOne={({ id }) => id === create.data.client.id} name={create.data.client.name} />
          <div className="row">
            <Button size="primary" onClick={() => onClose(create.data.client.id)}>
              {t("connect.done")}
            </Button>
          </div>
        </>
      )}
    </div>
  );
}

/** Says when the client that is being set up has come, and leads to its mapping. */
function Arrival(props: {
  isThisOne: (client: McpClient) => boolean;
  name: string;
  onOpen?: (id: string) => void;
}) {
  const t = useT("clients");
  const client = useLive((state) => state.clients)?.find(
    (one) => props.isThisOne(one) && one.connections > 0,
  );
  return (
    <div className="row" role="status">
      {client === undefined ? (
        <>
          <VerdictShape kind="skipped" />
          <span className="second">{t("connect.waiting", { name: props.name })}</span>
        </>
      ) : (
        <>
          <VerdictShape kind="running" />
          <span>{t("connect.isHere", { name: props.name })}</span>
          {props.onOpen === undefined ? null : (
            <Button onClick={() => props.onOpen?.(client.id)}>
              {client.mapping === "unmapped" ? t("connect.mapIt") : t("connect.open")}
            </Button>
          )}
        </>
      )}
    </div>
  );
}

/** What `--client` takes: no spaces, nothing that a shell would read. */
const clientName = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

function StdioWay({ onClose }: { onClose: (id: string) => void }) {
  const t = useT("clients");
  const [name, setName] = useState("agent");
  const isRight = clientName.test(name);
  return (
    <>
      <div className="client-form">
        <Field
          label={t("field.name")}
          hint={t("field.stdioNameHint")}
          error={isRight ? null : t("field.stdioNameError")}
        >
          {(control) => (
            <input
              {...control}
              className="input evidence"
              spellCheck={false}
              value={name}
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
      </div>
      {isRight ? (
        <>
          <ConnectInstructions way="stdio" token={null} name={name} />
          <Arrival isThisOne={(client) => client.name === name} name={name} onOpen={onClose} />
        </>
      ) : null}
    </>
  );
}
