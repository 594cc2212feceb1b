/** The left half of the scope picker: narrow to wide, then for how long and for whom. */

import { useId } from "react";
import type { ApprovalRequest, GrantLifetime, GrantOffer } from "../../../shared/contract/index.ts";
import { useT } from "../../i18n/index.ts";
import { useReason } from "../../i18n/useReason.ts";
import { Segmented } from "../../ui/Segmented.tsx";
import { CommandText } from "./CommandText.tsx";
import { GrantWords } from "./GrantStores.tsx";
import { type AlwaysChoice, scopesOf } from "./useAlways.ts";

export interface ScopeChooserProps {
  request: ApprovalRequest;
  choice: AlwaysChoice;
  onChoose: (choice: AlwaysChoice) => void;
}

const minutes = 30;
const lifetimes = ["session", "minutes", "agent", "allAgents"] as const;

export function ScopeChooser({ request, choice, onChoose }: ScopeChooserProps) {
  const t = useT("approvals");
  const reason = useReason();
  const name = useId();
  const { always } = request;
  if (always.kind === "withheld") return null;
  const scopes = scopesOf(request);
  const lifetime: GrantLifetime = choice.kind === "grant" ? choice.lifetime : { kind: "session" };
  return (
    <div className="scope-choices">
      <fieldset>
        <legend className="sr-only">{t("scope.choose")}</legend>
        {scopes.map((scope) => {
          const isChosen = choice.kind === "grant" && choice.scope.id === scope.id;
          return (
            <label key={scope.id} className="scope-choice">
              <input
                type="radio"
                name={name}
                checked={isChosen}
                onChange={() => onChoose({ kind: "grant", scope, lifetime })}
              />
              <ScopeLabel scope={scope} isChosen={isChosen} />
            </label>
          );
        })}
        {always.stores.length === 0 ? null : (
          <label className="scope-choice">
            <input
              type="radio"
              name={name}
              checked={choice.kind === "entry"}
              onChange={() => onChoose({ kind: "entry" })}
            />
            <span>
              {t("scope.entry")} <span className="dim">{t("scope.entryNote")}</span>
            </span>
          </label>
        )}
      </fieldset>
      {scopes.length === 0 && always.scopesWithheld !== undefined ? (
        <p className="second">{t("scope.noGrants", { reason: reason(always.scopesWithheld, "withheld") })}</p>
      ) : null}
      {choice.kind === "grant" ? (
        <div className="scope-for">
          <span className="dim" aria-hidden="true">
            {t("scope.for")}
          </span>
          <Segmented
            role="radio"
            label={t("scope.for")}
            value={lifetime.kind}
            options={lifetimes.map((kind) => ({
              value: kind,
              label: t(`scope.lifetime.${kind}`, { minutes, agent: request.agentId }),
            }))}
            onChange={(kind) =>
              onChoose({ ...choice, lifetime: kind === "minutes" ? { kind, minutes } : { kind } })
            }
          />
          <p className="second">{t(`scope.ends.${lifetime.kind}`)}</p>
        </div>
      ) : null}
    </div>
  );
}

function ScopeLabel({ scope, isChosen }: { scope: GrantOffer; isChosen: boolean }) {
  const t = useT("approvals");
  const words = useT("reasons");
  const programs = scope.programs.join(", ");
  const abilities = scope.abilities.map((ability) => words(`ability.${ability}`)).join(", ");
  return (
    <span className={isChosen ? "is-chosen" : undefined}>
      <CommandText text={t(`scope.kind.${scope.kind}`, { programs })} />
      {scope.kind === "program" ? (
        <span className="tone-ask">
          {" "}
          {abilities === "" ? t("scope.unknownAbility") : t("scope.can", { abilities })}
        </span>
      ) : null}
      {scope.kind === "argumentShape" && isChosen ? (
        <span className="scope-shape">
          {scope.stores.map((parts, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the order is what identifies a part
            <GrantWords key={index} parts={parts} programs={scope.programs} />
          ))}
        </span>
      ) : null}
    </span>
  );
}
