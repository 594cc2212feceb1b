/** One skill: what its command calls, or why it calls nothing, and a field to run it as `/<skill> text`. */

import { useState } from "react";
import { Link } from "wouter";
import type { Reason, SkillView } from "../../../shared/contract/index.ts";
import { type SkillAnswer, skillReply } from "../../../shared/text/skillReply.ts";
import { useT } from "../../i18n/index.ts";
import { useReason } from "../../i18n/useReason.ts";
import { useMutationRpc } from "../../rpc/hooks.ts";
import { Button, Field, VerdictChip } from "../../ui/index.ts";
import { PlainText } from "../approvals/CommandText.tsx";
import { CallState } from "./CallState.tsx";
import { ResultView } from "./ResultView.tsx";
import { commandShape, titleOf } from "./SkillList.tsx";
import { useCallAnswer } from "./useCallAnswer.ts";

export function SkillDetail({ skill, agentId }: { skill: SkillView; agentId: string }) {
  const t = useT("tools");
  const reasonText = useReason();
  const { command } = skill;
  const others = skill.tools.filter((tool) => command.kind === "none" || tool !== command.tool);
  return (
    <div className="tools-detail">
      <div className="row">
        <h2 className="tools-name evidence">
          <PlainText text={titleOf(skill)} />
        </h2>
        <VerdictChip kind={commandShape(skill)}>
          {command.kind === "none"
            ? t("skill.noCommand")
            : t(`skill.${command.kind}`, { tool: command.tool })}
        </VerdictChip>
        {skill.isForModel ? null : <span className="second">{t("skill.notForModel")}</span>}
      </div>
      {command.kind === "ready" ? null : <p>{sentence(reasonText(command.reason), t("skill.fullStop"))}</p>}
      {command.kind === "unreachable" ? (
        <p className="second">
          {t("skill.looksUnknown")}{" "}
          {isOfPolicy(command.reason) ? (
            <Link
              className="tools-link"
              href={`/policy/why/${encodeURIComponent(command.tool)}?agent=${encodeURIComponent(agentId)}`}
            >
              {t("whyMissing", { tool: command.tool })}
            </Link>
          ) : null}
        </p>
      ) : null}
      <section aria-label={t("skill.about")}>
        <h2>{t("skill.about")}</h2>
        <p className="tools-description">
          <PlainText text={skill.description ?? t("skill.noDescription")} />
        </p>
        <p className="second">
          {t("skill.file")}{" "}
          <code className="skill-path">
            <PlainText text={skill.path} />
          </code>
        </p>
        {others.length === 0 ? null : (
          <p className="second">
            {t("skill.names")}{" "}
            <code>
              <PlainText text={others.join(", ")} />
            </code>
          </p>
        )}
      </section>
      {command.kind === "ready" ? <RunForm skill={skill} tool={command.tool} agentId={agentId} /> : null}
    </div>
  );
}

function RunForm({ skill, tool, agentId }: { skill: SkillView; tool: string; agentId: string }) {
  const t = useT("tools");
  const start = useMutationRpc("skills.run");
  const [text, setText] = useState("");
  const [callId, setCallId] = useState<string | null>(null);
  const { call, answer, error } = useCallAnswer(callId);
  const title = titleOf(skill);
  return (
    <>
      <form
        className="tools-form"
        aria-label={t("skill.run", { command: title })}
        onSubmit={(event) => {
          event.preventDefault();
          start.mutate(
            { skill: skill.name, args: text, agentId, tool },
            { onSuccess: ({ toolCallId }) => setCallId(toolCallId) },
          );
        }}
      >
        <Field label={t("skill.text")} hint={t("skill.textHint", { tool })}>
          {(attributes) => (
            <textarea
              className="textarea evidence"
              rows={2}
              spellCheck={false}
              {...attributes}
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          )}
        </Field>
        {start.error === null ? null : (
          <p className="field-error" role="alert">
            {t("startFailed", { message: start.error.message })}
          </p>
        )}
        <div className="row">
          <Button type="submit" look="filled" size="primary" disabled={start.isPending}>
            {t("skill.run", { command: title })}
          </Button>
          <span className="small">{t("sameWay")}</span>
        </div>
      </form>
      {call === undefined ? null : <CallState call={call} />}
      {error === null ? null : (
        <p className="field-error" role="alert">
          {t("waitFailed", { message: error })}
        </p>
      )}
      {answer === null ? null : <Reply answer={answer} />}
      {answer?.result ? (
        <ResultView tool={tool} toolCallId={answer.call.toolCallId} result={answer.result} />
      ) : null}
    </>
  );
}

/** What a chat would show, where the result has no words of its own to be read below. */
function Reply({ answer }: { answer: SkillAnswer }) {
  const t = useT("tools");
  if (answer.result?.content.some((part) => part.type === "text" && part.text.trim() !== "") === true)
    return null;
  const { text } = skillReply(answer, {
    done: t("skill.reply.done"),
    failed: t("skill.reply.failed"),
    cancelled: t("skill.reply.cancelled"),
    notAvailable: (tool) => t("skill.reply.notAvailable", { tool }),
    needs: (tool, fields) => t("skill.reply.needs", { tool, fields: fields.join(", ") }),
  });
  return (
    <p>
      {t("skill.reply.label")} <code>{text}</code>
    </p>
  );
}

/** Whether another policy would make the tool reachable. */
function isOfPolicy({ code }: Reason): boolean {
  return code === "removedByPolicy" || code === "absent";
}

/** Reasons are parts of sentences; here one stands alone. */
function sentence(reason: string, fullStop: string): string {
  const first = reason.charAt(0).toUpperCase() + reason.slice(1);
  return /[.。!?]$/u.test(first) ? first : `${first}${fullStop}`;
}
