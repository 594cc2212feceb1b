/** The catalog by section: what is registered, and what is not, with the reason at hand. */

import { Fragment, type ReactNode, useMemo, useState } from "react";
import type { CatalogTool } from "../../../shared/contract/index.ts";
import { useT } from "../../i18n/index.ts";
import { VerdictShape } from "../../ui/index.ts";
import { useServerSections } from "../mcpServers/toolServers.ts";

export interface CatalogSection {
  id: string;
  label: string;
  tools: CatalogTool[];
}

export function ToolCatalog(props: {
  sections: readonly CatalogSection[];
  picked: string | null;
  onPick: (tool: string) => void;
  /** What stands below all that works, and follows the filter. */
  below?: (filter: string) => ReactNode;
}) {
  const t = useT("tools");
  const servers = useServerSections();
  const [filter, setFilter] = useState("");
  const shown = useMemo(() => filtered(props.sections, filter), [props.sections, filter]);
  const arranged = useMemo(() => withLaterAtEnd(shown), [shown]);
  return (
    <div className="tools-catalog">
      <input
        type="search"
        className="input"
        value={filter}
        placeholder={t("filter")}
        aria-label={t("filter")}
        onChange={(event) => setFilter(event.target.value)}
      />
      {shown.length === 0 ? <p className="small view-pad">{t("noMatch", { filter })}</p> : null}
      {arranged.map((section) => (
        <Fragment key={section.id}>
          {section.id === laterId ? props.below?.(filter) : null}
          <section className={section.id === laterId ? "tools-later" : undefined}>
            <h3 className="tools-section">
              {section.id === laterId
                ? t("notBuilt", { count: section.tools.length })
                : servers.has(section.id)
                  ? t("sectionServer", { id: servers.get(section.id) ?? "" })
                  : t(`sections.${section.id}`, { defaultValue: section.label })}
            </h3>
            <ul>
              {section.tools.map((tool) => {
                const isAbsent = tool.presence.kind === "absent";
                return (
                  <li key={tool.name}>
                    <button
                      type="button"
                      className={tool.name === props.picked ? "tools-row is-picked" : "tools-row"}
                      aria-current={tool.name === props.picked}
                      onClick={() => props.onPick(tool.name)}
                    >
                      <VerdictShape kind={isAbsent ? "skipped" : "kept"} />
                      <code className={isAbsent ? "ellipsis dim" : "ellipsis"}>{tool.name}</code>
                      {section.id === laterId ? null : (
                        <span className="small">
                          {isAbsent || tool.risk === null ? t("absent") : t(`risk.${tool.risk}`)}
                        </span>
                      )}
                    </button>
                  </li>
                );
              })}
            </ul>
          </section>
        </Fragment>
      ))}
      {arranged.at(-1)?.id === laterId ? null : props.below?.(filter)}
    </div>
  );
}

/** Not a section of the catalog: what this version does not have yet stands below everything that works. */
const laterId = "not-built";

export function withLaterAtEnd(sections: readonly CatalogSection[]): CatalogSection[] {
  const isLater = ({ presence }: CatalogTool) =>
    presence.kind === "absent" && presence.reason.code === "absent.not-built";
  const now = sections.map((section) => ({
    ...section,
    tools: section.tools.filter((tool) => !isLater(tool)),
  }));
  const later = sections.flatMap((section) => section.tools.filter(isLater));
  return [...now, { id: laterId, label: "", tools: later }].filter((section) => section.tools.length > 0);
}

function filtered(sections: readonly CatalogSection[], filter: string): CatalogSection[] {
  const needle = filter.trim().toLowerCase();
  if (needle === "") return [...sections];
  return sections
    .map((section) => ({
      ...section,
      tools: section.tools.filter((tool) =>
        `${tool.name} ${tool.description}`.toLowerCase().includes(needle),
      ),
    }))
    .filter((section) => section.tools.length > 0);
}
