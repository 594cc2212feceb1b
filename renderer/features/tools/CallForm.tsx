/** Calls a tool by hand: a form from its schema or raw JSON; the call goes the same way as any other. */

import { useMemo, useState } from "react";
import type { CatalogTool, ToolCallState } from "../../../shared/contract/index.ts";
import { useT } from "../../i18n/index.ts";
import { useMutationRpc, useQueryRpc } from "../../rpc/hooks.ts";
import { Button, Field, Picker, Segmented } from "../../ui/index.ts";
import { fieldErrorText, SchemaField } from "./SchemaField.tsx";
import { argumentsFrom, fieldKey, formFields, issuesByField, valuesFrom } from "./schemaForm.ts";

export interface CallFormProps {
  tool: CatalogTool;
  /** State of the last call from here, for errors that the runtime found. */
  lastState: ToolCallState | null;
  onStarted: (toolCallId: string) => void;
}

export function CallForm({ tool, lastState, onStarted }: CallFormProps) {
  const t = useT("tools");
  const fields = useMemo(() => formFields(tool.inputSchema), [tool]);
  const contexts = useQueryRpc("policy.contexts", {});
  const start = useMutationRpc("calls.start");
  const [mode, setMode] = useState<"form" | "json">("form");
  const [values, setValues] = useState<ReadonlyMap<string, string>>(new Map());
  const [raw, setRaw] = useState("{}");
  const [rawError, setRawError] = useState<string | null>(null);
  const [wasTried, setWasTried] = useState(false);
  const agents = contexts.data?.agents ?? [];
  const [agentId, setAgentId] = useState<string | null>(null);
  const agent = agentId ?? agents.find(({ isDefault }) => isDefault)?.id ?? agents[0]?.id;
  const parsed = useMemo(() => argumentsFrom(fields, values), [fields, values]);
  const refused = useMemo(
    () =>
      lastState?.kind === "invalid"
        ? issuesByField(fields, lastState.issues)
        : { byField: new Map<string, string>(), general: [] },
    [fields, lastState],
  );

  const switchMode = (next: "form" | "json") => {
    if (next === "json") setRaw(JSON.stringify(parsed.args, null, 2));
    else {
      const object = readObject(raw);
      if (object === null) return setRawError(t("errors.object"));
      const { values: filled, rest } = valuesFrom(fields, object);
      if (rest.length > 0) return setRawError(t("errors.notInForm", { names: rest.join(", ") }));
      setValues(filled);
    }
    setRawError(null);
    setMode(next);
  };
  const call = () => {
    setWasTried(true);
    let args: Record<string, unknown>;
    if (mode === "json") {
      const object = readObject(raw);
      if (object === null) return setRawError(t("errors.object"));
      args = object;
    } else {
      if (parsed.errors.size > 0) return;
      args = parsed.args;
    }
    setRawError(null);
    start.mutate(
      { tool: tool.name, args, ...(agent === undefined ? {} : { agentId: agent }) },
      { onSuccess: ({ toolCallId }) => onStarted(toolCallId) },
    );
  };
  return (
    <form
      className="tools-form"
      aria-label={t("callTool", { tool: tool.name })}
      onSubmit={(event) => {
        event.preventDefault();
        call();
      }}
    >
      <div className="row">
        <h2 className="grow">{t("byHand")}</h2>
        {agent === undefined ? null : (
          <Picker
            label={t("asAgent")}
            value={agent}
            options={agents.map(({ id }) => ({ value: id, label: id }))}
            onChange={setAgentId}
          />
        )}
        <Segmented
          role="radio"
          label={t("mode.label")}
          value={mode}
          options={(["form", "json"] as const).map((value) => ({ value, label: t(`mode.${value}`) }))}
          onChange={switchMode}
        />
      </div>
      {mode === "json" ? (
        <Field label={t("arguments")} error={rawError} hint={t("argumentsHint")}>
          {(attributes) => (
            <textarea
              className="textarea evidence"
              rows={10}
              spellCheck={false}
              {...attributes}
              value={raw}
              onChange={(event) => setRaw(event.target.value)}
            />
          )}
        </Field>
      ) : fields.length === 0 ? (
        <p className="second">{t("noFields")}</p>
      ) : (
        fields.map((field) => {
          const key = fieldKey(field.path);
          const own = wasTried ? parsed.errors.get(key) : undefined;
          return (
            <SchemaField
              key={key}
              t={t}
              field={field}
              value={values.get(key) ?? ""}
              error={own === undefined ? (refused.byField.get(key) ?? null) : fieldErrorText(t, own)}
              onChange={(value) => setValues((old) => new Map(old).set(key, value))}
            />
          );
        })
      )}
      {refused.general.map((message) => (
        <p key={message} className="field-error" role="alert">
          {message}
        </p>
      ))}
      {start.error === null ? null : (
        <p className="field-error" role="alert">
          {t("startFailed", { message: start.error.message })}
        </p>
      )}
      <div className="row">
        <Button type="submit" look="filled" size="primary" disabled={start.isPending}>
          {t("callTool", { tool: tool.name })}
        </Button>
        <span className="small">{t("sameWay")}</span>
      </div>
    </form>
  );
}

function readObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    // Not JSON: the field says so; where exactly is plain from the text in front of the person.
    return null;
  }
}
