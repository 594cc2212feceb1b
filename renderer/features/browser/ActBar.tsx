/** The picked element, and doing something with it by hand: the same way an agent's act goes, marked as a person's. */

import { type FormEvent, useEffect, useState } from "react";
import type { BrowserTab } from "../../../shared/contract/index.ts";
import { useT } from "../../i18n/index.ts";
import { useMutationRpc } from "../../rpc/hooks.ts";
import { Button } from "../../ui/index.ts";
import type { PageLook } from "./usePageLook.ts";

const typedRoles = new Set(["textbox", "searchbox", "combobox", "spinbutton"]);

export function ActBar({ look, tab }: { look: PageLook; tab: BrowserTab }) {
  const t = useT("browser");
  const { picked, snapshot } = look;
  const [text, setText] = useState("");
  const act = useMutationRpc("browser.act");
  const { reset } = act;
  // What was said about one element is not about the next.
  useEffect(() => {
    setText("");
    if (picked !== null) reset();
  }, [picked, reset]);
  const element = snapshot?.refs.find(({ ref }) => ref === picked);
  if (element === undefined && act.isError) {
    return (
      <div className="browser-act">
        <span className="tone-stop" role="alert">
          {act.error.message}
        </span>
      </div>
    );
  }
  if (element === undefined) {
    return act.data === undefined ? null : (
      <div className="browser-act">
        <span role="status">{act.data.message}</span>
        {act.data.events.map((event, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the events of one act never move
          <span key={index} className="second">
            {event.kind}: {event.text}
          </span>
        ))}
      </div>
    );
  }
  const { ref, role, name } = element;
  const run = (request: Record<string, unknown>) =>
    act.mutate(
      { profile: tab.profile, targetId: tab.targetId, request: { ref, ...request } },
      {
        onSuccess: () => {
          look.pick(null);
          look.take();
        },
      },
    );
  const type = (event: FormEvent) => {
    event.preventDefault();
    run({ kind: "type", text });
  };
  return (
    <section className="browser-act" aria-label={t("act.label", { ref })}>
      <code className="snapshot-ref">{ref}</code>
      <span className="ellipsis">
        {role} {name === null ? "" : `“${name}”`}
      </span>
      <span className="grow" />
      {typedRoles.has(role) ? (
        <form className="row" onSubmit={type}>
          <input
            className="input"
            aria-label={t("act.text", { ref })}
            value={text}
            onChange={(event) => setText(event.target.value)}
          />
          <Button type="submit" disabled={act.isPending}>
            {t("act.type")}
          </Button>
        </form>
      ) : null}
      <Button disabled={act.isPending} onClick={() => run({ kind: "click" })}>
        {act.isPending ? t("act.running") : t("act.click", { ref })}
      </Button>
      <Button look="plain" icon="cross" aria-label={t("act.unpick")} onClick={() => look.pick(null)} />
      {act.isError ? (
        <span className="tone-stop" role="alert">
          {act.error.message}
        </span>
      ) : null}
    </section>
  );
}
