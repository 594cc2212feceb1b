/** Look, language, attention and keys of the panel; the mode of exec and its files. Changes count at once. */

import { useState } from "react";
import type { UiSettings } from "../../../shared/contract/index.ts";
import { ConfirmBroadDialog } from "../../app/ConfirmBroadDialog.tsx";
import { useT } from "../../i18n/index.ts";
import { useLive, useMutationRpc } from "../../rpc/hooks.ts";
import { Button } from "../../ui/Button.tsx";
import { Segmented } from "../../ui/Segmented.tsx";
import { ViewHeader } from "../../ui/ViewHeader.tsx";
import { SpeechSection } from "../speech/SpeechSection.tsx";
import { KeysSection } from "./KeysSection.tsx";
import "./settings.css";

const choices = {
  theme: ["system", "light", "dark"],
  language: ["system", "en", "zh-CN"],
  density: ["compact", "comfortable"],
  attention: ["silent", "badge", "notify", "raise"],
} as const satisfies { [K in "theme" | "language" | "density" | "attention"]: readonly UiSettings[K][] };
type ChoiceKey = keyof typeof choices;

export function SettingsView() {
  const t = useT("settings");
  const settings = useLive((state) => state.settings);
  const save = useMutationRpc("ui.settings.set");
  const rows = Object.keys(choices) as ChoiceKey[];
  return (
    <div className="view">
      <ViewHeader
        title={t("title")}
        sub={
          <span className="second" role="status">
            {save.isPending
              ? t("saving")
              : save.isError
                ? t("notSaved")
                : save.isSuccess
                  ? t("applied")
                  : null}
          </span>
        }
      />
      <div className="view-body">
        <div className="settings-grid">
          {rows.map((key) => (
            <div key={key} className="settings-row">
              <div>
                <p>{t(`${key}.label`)}</p>
                <p className="small">{t(`${key}.hint`)}</p>
              </div>
              <Segmented
                role="radio"
                label={t(`${key}.label`)}
                value={settings[key] as string}
                options={choices[key].map((value) => ({ value, label: t(`${key}.${value}`) }))}
                onChange={(value) => save.mutate({ [key]: value })}
              />
            </div>
          ))}
          <div className="settings-row">
            <div>
              <p id="single-keys">{t("singleKeys.label")}</p>
              <p className="small">{t("singleKeys.hint")}</p>
            </div>
            <Segmented
              role="radio"
              label={t("singleKeys.label")}
              value={settings.singleKeys ? "on" : "off"}
              options={[
                { value: "on", label: t("singleKeys.on") },
                { value: "off", label: t("singleKeys.off") },
              ]}
              onChange={(value) => save.mutate({ singleKeys: value === "on" })}
            />
          </div>
        </div>
        <Reachability />
        <Mode />
        <KeysSection />
        <SpeechSection />
        <About />
      </div>
    </div>
  );
}

/** Whether a prompt reaches a person through this window (A17). */
function Reachability() {
  const t = useT("settings");
  const attending = useLive((state) => state.attending);
  return (
    <section className="settings-section">
      <h2>{t("reach.title")}</h2>
      <p className={attending ? undefined : "tone-ask"}>{attending ? t("reach.yes") : t("reach.no")}</p>
      <p className="second">{t("reach.rule")}</p>
    </section>
  );
}

function Mode() {
  const t = useT("settings");
  const mode = useLive((state) => state.status?.mode ?? null);
  const restore = useMutationRpc("mode.restore");
  const [isOpen, setIsOpen] = useState(false);
  if (mode === null) return null;
  return (
    <section className="settings-section">
      <h2>{t("mode.title")}</h2>
      <dl className="facts">
        <dt>{t("mode.counts")}</dt>
        <dd className="evidence">
          {mode.security} · {mode.ask}
        </dd>
        <dt>{t("mode.files")}</dt>
        <dd className="evidence">
          {mode.configured.security} · {mode.configured.ask}
        </dd>
      </dl>
      {mode.broad.kind === "confirmed" ? (
        <>
          <Button look="danger" disabled={restore.isPending} onClick={() => restore.mutate({})}>
            {t("mode.restore")}
          </Button>
          {restore.isError ? (
            <p className="tone-stop" role="alert">
              {restore.error.message}
            </p>
          ) : null}
        </>
      ) : mode.broad.kind === "unconfirmed" ? (
        <>
          <p className="second">{t("mode.unconfirmed")}</p>
          <Button onClick={() => setIsOpen(true)}>{t("mode.review")}</Button>
          {isOpen ? <ConfirmBroadDialog agents={mode.broad.agents} onClose={() => setIsOpen(false)} /> : null}
        </>
      ) : (
        <p className="second">{t("mode.narrow")}</p>
      )}
    </section>
  );
}

function About() {
  const t = useT("settings");
  const status = useLive((state) => state.status);
  if (status === null) return null;
  return (
    <section className="settings-section">
      <h2>{t("about.title")}</h2>
      <dl className="facts">
        <dt>{t("about.version")}</dt>
        <dd className="evidence">{status.version}</dd>
        <dt>{t("about.semantics")}</dt>
        <dd className="evidence">
          {status.semantics} · {status.preset}
        </dd>
        <dt>{t("about.stateDir")}</dt>
        <dd className="evidence">{status.stateDir}</dd>
        <dt>{t("about.config")}</dt>
        <dd className="evidence">{status.config.path}</dd>
        <dt>{t("about.approvals")}</dt>
        <dd className="evidence">{status.approvalsFile.path}</dd>
      </dl>
    </section>
  );
}
