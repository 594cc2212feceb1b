/** Skills of one agent below the catalog: what each command calls, and which call nothing. */

import type { SkillView } from "../../../shared/contract/index.ts";
import { useT } from "../../i18n/index.ts";
import { useQueryRpc } from "../../rpc/hooks.ts";
import { Button, Picker, type VerdictKind, VerdictShape } from "../../ui/index.ts";
import { PlainText } from "../approvals/CommandText.tsx";

export function SkillList(props: {
  /** As chosen; null: the default agent. */
  agentId: string | null;
  filter: string;
  picked: string | null;
  onPick: (skill: string) => void;
  onAgent: (agentId: string) => void;
}) {
  const t = useT("tools");
  const { agentId } = props;
  const list = useQueryRpc("skills.list", agentId === null ? {} : { agentId }, { keepPrevious: true });
  const agents = useQueryRpc("policy.contexts", {}).data?.agents ?? [];
  const skills = list.data?.skills;
  const shown = matching(skills ?? [], props.filter);
  return (
    <section className="tools-skills">
      <div className="row tools-section">
        <h3 className="grow">{t("skill.title")}</h3>
        {agents.length < 2 || list.data === undefined ? null : (
          <Picker
            label={t("skill.ofAgent")}
            value={agentId ?? list.data.agentId}
            options={agents.map(({ id }) => ({ value: id, label: id }))}
            onChange={props.onAgent}
          />
        )}
        {/* Files of skills change without a word to us. */}
        <Button look="plain" disabled={list.isFetching} onClick={() => void list.refetch()}>
          {t("skill.readAgain")}
        </Button>
      </div>
      {list.error === null ? null : (
        <p className="field-error tools-skills-text" role="alert">
          {t("skill.listFailed", { message: list.error.message })}
        </p>
      )}
      {skills?.length === 0 ? (
        <p className="small tools-skills-text">{t("skill.none", { agent: list.data?.agentId ?? "" })}</p>
      ) : null}
      <ul>
        {shown.map((skill) => (
          <li key={skill.name}>
            <button
              type="button"
              className={skill.name === props.picked ? "tools-row is-picked" : "tools-row"}
              aria-current={skill.name === props.picked}
              onClick={() => props.onPick(skill.name)}
            >
              <VerdictShape kind={commandShape(skill)} />
              <code className={skill.command.kind === "ready" ? "ellipsis" : "ellipsis dim"}>
                <PlainText text={titleOf(skill)} />
              </code>
              <span className="small ellipsis">
                {skill.command.kind === "ready" ? skill.command.tool : t(`skill.short.${skill.command.kind}`)}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

export function commandShape({ command }: SkillView): VerdictKind {
  return command.kind === "ready" ? "kept" : command.kind === "unreachable" ? "removed" : "skipped";
}

/** A skill with a command goes by what is typed for it. */
export function titleOf({ name, commandName, command }: SkillView): string {
  return command.kind === "none" ? name : `/${commandName}`;
}

function matching(skills: readonly SkillView[], filter: string): SkillView[] {
  const needle = filter.trim().toLowerCase();
  return skills.filter(({ name, commandName, description, tools }) =>
    [name, commandName, description ?? "", ...tools].join(" ").toLowerCase().includes(needle),
  );
}
