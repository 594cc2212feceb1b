/** How a server gets here: an entry in the config, ready to copy, and the way to the config. */

import { useState } from "react";
import { Link } from "wouter";
import { useT } from "../../i18n/index.ts";
import { Button } from "../../ui/Button.tsx";
import { Segmented } from "../../ui/Segmented.tsx";
import { CopyBlock } from "../clients/CopyBlock.tsx";

const examples = {
  stdio: `mcp: {
  servers: {
    files: {
      command: "npx",
      args: ["-y", "@modelcontextprotocol/server-filesystem", "/path/to/notes"],
    },
  },
},`,
  http: `mcp: {
  servers: {
    docs: {
      url: "https://example.com/mcp",
      transport: "streamable-http",
      headers: { Authorization: "Bearer TOKEN" },
    },
  },
},`,
} as const;

/** @param onClose absent where there is nothing to go back to: no server is configured */
export function AddServer({ onClose }: { onClose?: () => void }) {
  const t = useT("mcpServers");
  const [way, setWay] = useState<keyof typeof examples>("stdio");
  return (
    <div className="client-detail">
      <h2 className="view-title">{t(onClose === undefined ? "empty.title" : "add.title")}</h2>
      <p>{t("add.text")}</p>
      <Segmented
        label={t("add.way")}
        value={way}
        options={[
          { value: "stdio", label: t("add.stdio") },
          { value: "http", label: t("add.http") },
        ]}
        onChange={setWay}
      />
      <CopyBlock key={way} label={t("add.example")} text={examples[way]} />
      <ol className="server-steps">
        <li>{t("add.step1")}</li>
        <li>{t("add.step2")}</li>
        <li>{t("add.step3")}</li>
      </ol>
      <div className="row">
        <Link href="/policy/whatif" className="button button-outlined button-primary">
          {t("add.open")}
        </Link>
        {onClose === undefined ? null : (
          <Button size="primary" look="plain" onClick={onClose}>
            {t("add.back")}
          </Button>
        )}
      </div>
    </div>
  );
}
