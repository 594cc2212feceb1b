/** What to put into a client's settings, ready to copy. */

import { useState } from "react";
import { useT } from "../../i18n/index.ts";
import { useLive } from "../../rpc/hooks.ts";
import { Button } from "../../ui/Button.tsx";
import { VerdictShape } from "../../ui/Verdict.tsx";

export interface ConnectInstructionsProps {
  way: "stdio" | "http";
  /** Shown once; null when it is kept already or the way needs none. */
  token: string | null;
  /** Name for `--client`; each name has its own mapping. */
  name?: string;
  /** It has an agent already. */
  isMapped?: boolean;
}

export function ConnectInstructions({
  way,
  token,
  name = "agent",
  isMapped = false,
}: ConnectInstructionsProps) {
  const t = useT("clients");
  const mcpUrl = useLive((state) => state.mcpUrl);
  if (way === "stdio") {
    const args = ["mcp", "--client", name];
    const config = { mcpServers: { sallyport: { command: "sallyport", args } } };
    return (
      <div className="stack">
        <p>{t("connect.stdioText")}</p>
        <CopyBlock label={t("connect.command")} text={`sallyport ${args.join(" ")}`} />
        <CopyBlock label={t("connect.config")} text={JSON.stringify(config, null, 2)} />
        <p className="second">{t("connect.fromClone")}</p>
        <p className="second">{t("connect.newIsMinimal")}</p>
      </div>
    );
  }
  return (
    <div className="stack">
      <p>{t("connect.httpText")}</p>
      {mcpUrl === null ? (
        <p className="tone-ask">{t("connect.noUrl")}</p>
      ) : (
        <CopyBlock label={t("connect.url")} text={mcpUrl} />
      )}
      {token === null ? null : (
        <>
          <CopyBlock label={t("connect.header")} text={`Authorization: Bearer ${token}`} />
          <p className="row">
            <VerdictShape kind="asks" />
            <span>{t("connect.once")}</span>
          </p>
        </>
      )}
      {isMapped ? null : <p className="second">{t("connect.newIsMinimal")}</p>}
    </div>
  );
}

function CopyBlock({ label, text }: { label: string; text: string }) {
  const t = useT("clients");
  const [isCopied, setIsCopied] = useState(false);
  return (
    <div className="copy-block">
      <div className="row">
        <span className="small grow">{label}</span>
        <Button
          look="plain"
          icon={isCopied ? "check" : "copy"}
          onClick={() => void navigator.clipboard.writeText(text).then(() => setIsCopied(true))}
        >
          {isCopied ? t("copied") : t("copy")}
        </Button>
      </div>
      <pre>{text}</pre>
    </div>
  );
}
