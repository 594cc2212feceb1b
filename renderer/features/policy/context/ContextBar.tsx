/** The situation that the matrix answers for, one picker per part; every choice goes into the address. */

import { type ReactNode, useMemo } from "react";
import type { PolicyContext } from "../../../../shared/policy/types.ts";
import { useT } from "../../../i18n/index.ts";
import type { PanelOutput } from "../../../rpc/connection.ts";
import { Picker, type PickerOption } from "../../../ui/index.ts";
import { contextToSearch, modelLabel } from "../model/contextAddress.ts";
import { PlaceAndSender } from "./PlaceAndSender.tsx";

export type KnownContexts = PanelOutput<"policy.contexts">;

const unset = "";

export function ContextBar(props: {
  context: PolicyContext;
  known: KnownContexts | undefined;
  onChange: (context: PolicyContext) => void;
  /** Shown at the right end. */
  evaluatedInMs?: number;
  /** What the config answered for a sandbox that the context leaves open. */
  sandboxFromConfig?: boolean | undefined;
  children?: ReactNode;
}) {
  const t = useT("policy");
  const { context, known, onChange } = props;
  const agents = useMemo(
    (): PickerOption[] =>
      withCurrent(
        seenFirst(
          (known?.agents ?? []).map(({ id, isDefault }) => ({
            value: id,
            label: id,
            ...(isDefault ? { hint: t("context.defaultAgent") } : {}),
          })),
          known?.seen.map((entry) => entry.context.agentId),
          t("context.seen"),
        ),
        context.agentId ?? unset,
      ),
    [known, context.agentId, t],
  );
  const models = useMemo((): PickerOption[] => {
    const found = (known?.models ?? []).map(({ provider, model }) => {
      const value = model === null ? provider : `${provider}/${model}`;
      return { value, label: value };
    });
    return withCurrent(
      [
        { value: unset, label: t("context.anyModel") },
        ...seenFirst(
          found,
          known?.seen.map((entry) => modelLabel(entry.context)),
          t("context.seen"),
        ),
      ],
      modelLabel(context) ?? unset,
    );
  }, [known, context, t]);
  const groups = useMemo((): PickerOption[] => {
    const channels = [...new Set((known?.groups ?? []).map(({ channel }) => channel))];
    return withCurrent(
      [
        { value: unset, label: t("context.noChannel") },
        ...seenFirst(
          [
            ...channels.map((channel) => ({ value: channel, label: channel })),
            ...(known?.groups ?? []).map(({ channel, groupId }) => ({
              value: `${channel}\u0000${groupId}`,
              label: t("context.group", { channel, group: groupId }),
            })),
          ],
          known?.seen.map((entry) => channelValue(entry.context)),
          t("context.seen"),
        ),
      ],
      channelValue(context),
      (value) => {
        const [channel = "", group] = value.split("\u0000");
        return group === undefined ? channel : t("context.group", { channel, group });
      },
    );
  }, [known, context, t]);
  const seen = useMemo(
    (): PickerOption[] =>
      (known?.seen ?? []).map(({ label, context: found }) => ({ value: contextToSearch(found), label })),
    [known],
  );
  const here = contextToSearch(context);
  const set = (change: Partial<PolicyContext>) => {
    const next: PolicyContext = { ...context, ...change };
    // A session key would decide agent, group and depth by itself, against what was just chosen.
    if (!("sessionKey" in change)) delete next.sessionKey;
    onChange(next);
  };
  const triState = (value: boolean | undefined) => (value === undefined ? unset : value ? "1" : "0");
  return (
    <div className="policy-context" role="toolbar" aria-label={t("context.label")}>
      {seen.length === 0 ? null : (
        <Picker
          label={t("context.seen")}
          value={seen.some((entry) => entry.value === here) ? here : unset}
          options={[{ value: unset, label: t("context.ownChoice") }, ...seen]}
          onChange={(value) => {
            const found = known?.seen.find((entry) => contextToSearch(entry.context) === value);
            if (found !== undefined) onChange(found.context);
          }}
        />
      )}
      <Picker
        label={t("context.agent")}
        value={context.agentId ?? unset}
        options={agents}
        allowOther
        onChange={(agentId) => set({ agentId })}
      />
      <Picker
        label={t("context.model")}
        value={modelLabel(context) ?? unset}
        options={models}
        allowOther
        onChange={(value) => set(parseModel(value))}
      />
      <Picker
        label={t("context.channel")}
        value={channelValue(context)}
        options={groups}
        allowOther
        onChange={(value) => {
          const [channel, groupId] = value.split("\u0000");
          set({ channel: channel || undefined, groupId });
        }}
      />
      <PlaceAndSender context={context} onChange={set} />
      <Picker
        label={t("context.sender")}
        value={triState(context.senderIsOwner)}
        options={[
          { value: unset, label: t("context.unknownSender") },
          { value: "1", label: t("context.owner") },
          { value: "0", label: t("context.notOwner") },
        ]}
        onChange={(value) => set({ senderIsOwner: value === unset ? undefined : value === "1" })}
      />
      <Picker
        label={t("context.sandbox")}
        value={triState(context.sandboxed)}
        options={[
          { value: unset, label: t(fromConfigKey(props.sandboxFromConfig)) },
          { value: "1", label: t("context.on") },
          { value: "0", label: t("context.off") },
        ]}
        onChange={(value) => set({ sandboxed: value === unset ? undefined : value === "1" })}
      />
      <Picker
        label={t("context.depth")}
        value={String(context.subagentDepth ?? 0)}
        options={[0, 1, 2, 3].map((depth) => ({
          value: String(depth),
          label: depth === 0 ? t("context.depthMain") : String(depth),
        }))}
        onChange={(value) => set({ subagentDepth: Number(value) || undefined })}
      />
      <Picker
        label={t("context.surface")}
        value={context.surface ?? "model"}
        options={[
          { value: "model", label: t("context.surfaceModel") },
          { value: "mcp", label: t("context.surfaceMcp") },
          { value: "http", label: t("context.surfaceHttp") },
        ]}
        onChange={(value) => set({ surface: value === "mcp" || value === "http" ? value : "model" })}
      />
      {props.children}
      {props.evaluatedInMs === undefined ? null : (
        <span className="policy-note evidence" title={t("evaluatedIn", { ms: shortMs(props.evaluatedInMs) })}>
          {t("ms", { ms: shortMs(props.evaluatedInMs) })}
        </span>
      )}
    </div>
  );
}

function fromConfigKey(sandboxed: boolean | undefined) {
  if (sandboxed === undefined) return "context.fromConfig";
  return sandboxed ? "context.fromConfigOn" : "context.fromConfigOff";
}

function shortMs(ms: number): string {
  return ms < 10 ? ms.toFixed(1) : ms.toFixed(0);
}

function channelValue(context: PolicyContext): string {
  if (!context.channel) return unset;
  return context.groupId ? `${context.channel}\u0000${context.groupId}` : context.channel;
}

/** What sessions really used comes first; an option that no config names is added for it. */
function seenFirst(
  options: readonly PickerOption[],
  seen: readonly (string | null | undefined)[] | undefined,
  hint: string,
): PickerOption[] {
  const used = new Set(
    (seen ?? []).filter((value) => value !== null && value !== undefined && value !== unset),
  );
  const known = new Map(options.map((option) => [option.value, option]));
  const first = [...used].flatMap((value): PickerOption[] => {
    const option = known.get(value ?? unset);
    return value == null ? [] : [{ value, label: option?.label ?? value.replace("\u0000", " · "), hint }];
  });
  return [...first, ...options.filter((option) => !used.has(option.value))];
}

/** A typed value is `provider/model` or a provider alone; a model id may itself hold slashes. */
function parseModel(value: string): Pick<PolicyContext, "provider" | "model"> {
  const slash = value.indexOf("/");
  if (value === unset) return { provider: undefined, model: undefined };
  if (slash < 0) return { provider: value, model: undefined };
  return { provider: value.slice(0, slash), model: value.slice(slash + 1) };
}

/** The current value can be chosen again even when no config knows it. */
function withCurrent(
  options: PickerOption[],
  value: string,
  labelOf: (value: string) => string = (text) => text,
): PickerOption[] {
  if (value === unset || options.some((option) => option.value === value)) return options;
  return [...options, { value, label: labelOf(value) }];
}
