/** Ctrl K: go to a view, an agent or a request, or ask why a tool is missing. */

import { type KeyboardEvent, useId, useMemo, useState } from "react";
import { useLocation } from "wouter";
import { useT } from "../i18n/index.ts";
import { useLive, useQueryRpc } from "../rpc/hooks.ts";
import { Dialog } from "../ui/Dialog.tsx";
import { views } from "./views.ts";

interface FindEntry {
  key: string;
  label: string;
  hint: string;
  path: string;
}

const maxShown = 40;

export function FindDialog({ onClose }: { onClose: () => void }) {
  const t = useT("frame");
  const [, navigate] = useLocation();
  const [query, setQuery] = useState("");
  const [active, setActive] = useState(0);
  const listId = useId();
  const entries = useEntries();
  const shown = useMemo(() => findEntries(entries, query, t("find.why")), [entries, query, t]);
  const go = (entry: FindEntry | undefined) => {
    if (entry === undefined) return;
    onClose();
    navigate(entry.path);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "ArrowDown") setActive(Math.min(active + 1, shown.length - 1));
    else if (event.key === "ArrowUp") setActive(Math.max(active - 1, 0));
    else if (event.key === "Enter") go(shown[active]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title={t("find.title")} hideTitle onClose={onClose}>
      <input
        autoFocus
        className="input"
        role="combobox"
        aria-expanded="true"
        aria-controls={listId}
        aria-activedescendant={shown.length === 0 ? undefined : `${listId}-${active}`}
        aria-label={t("find.title")}
        placeholder={t("find.placeholder")}
        value={query}
        onChange={(event) => {
          setQuery(event.target.value);
          setActive(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div className="find-list" id={listId} role="listbox" aria-label={t("find.results")}>
        {shown.map((entry, index) => (
          <button
            key={entry.key}
            type="button"
            id={`${listId}-${index}`}
            role="option"
            aria-selected={index === active}
            tabIndex={-1}
            className={`picker-option${index === active ? " is-active" : ""}`}
            onPointerMove={() => setActive(index)}
            onClick={() => go(entry)}
          >
            <span className="ellipsis">{entry.label}</span>
            <span className="small nowrap">{entry.hint}</span>
          </button>
        ))}
        {shown.length === 0 ? <p className="small picker-empty">{t("find.nothing")}</p> : null}
      </div>
    </Dialog>
  );
}

function useEntries(): FindEntry[] {
  const t = useT("frame");
  const tools = useQueryRpc("tools.list", {}).data;
  const contexts = useQueryRpc("policy.contexts", {}).data;
  const pending = useLive((state) => state.pending);
  const processes = useLive((state) => state.processes);
  const servers = useLive((state) => state.mcpServers);
  return useMemo(() => {
    const found: FindEntry[] = views.map((view) => ({
      key: `view ${view.id}`,
      label: t(`views.${view.id}`),
      hint: t("find.view"),
      path: view.path,
    }));
    const view = t("find.view");
    found.push(
      { key: "history", label: t("find.history"), hint: view, path: "/approvals/history" },
      { key: "servers", label: t("find.servers"), hint: view, path: "/clients/servers" },
    );
    for (const { name } of servers ?? []) {
      const path = `/clients/servers/${encodeURIComponent(name)}`;
      found.push({ key: `server ${name}`, label: name, hint: t("find.server"), path });
    }
    for (const request of pending ?? []) {
      found.push({
        key: `approval ${request.id}`,
        label: request.command.slice(0, 120),
        hint: t("find.approval"),
        path: `/approvals?id=${encodeURIComponent(request.id)}`,
      });
    }
    for (const tool of tools?.sections.flatMap((section) => section.tools) ?? []) {
      const name = encodeURIComponent(tool.name);
      found.push(
        {
          key: `why ${tool.name}`,
          label: `why ${tool.name}`,
          hint: t("find.why"),
          path: `/policy/why/${name}`,
        },
        { key: `tool ${tool.name}`, label: tool.name, hint: t("find.tool"), path: `/tools/${name}` },
      );
    }
    for (const agent of contexts?.agents ?? []) {
      const path = `/policy?agent=${encodeURIComponent(agent.id)}`;
      found.push({ key: `agent ${agent.id}`, label: agent.id, hint: t("find.agent"), path });
    }
    for (const process of processes ?? []) {
      const path = `/processes/${encodeURIComponent(process.id)}`;
      found.push({
        key: `process ${process.id}`,
        label: `${process.id} ${process.command.slice(0, 100)}`,
        hint: t("find.process"),
        path,
      });
    }
    return found;
  }, [t, tools, contexts, pending, processes, servers]);
}

/** `why x` asks about any name, also one that matches no tool; other words must all occur. */
function findEntries(entries: FindEntry[], query: string, whyHint: string): FindEntry[] {
  const typed = query.trim();
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  const found = entries.filter((entry) => {
    const text = `${entry.label} ${entry.hint}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const asked = /^why\s+(\S+)$/i.exec(typed)?.[1];
  const exact = found.findIndex((entry) => entry.label.toLowerCase() === typed.toLowerCase());
  if (exact > 0) found.unshift(...found.splice(exact, 1));
  if (asked !== undefined && !found.some(({ key }) => key.startsWith("why "))) {
    found.push({
      key: "asked",
      label: typed,
      hint: whyHint,
      path: `/policy/why/${encodeURIComponent(asked)}`,
    });
  }
  return found.slice(0, maxShown);
}
