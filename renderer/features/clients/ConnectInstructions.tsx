/** What to put into a client's settings, ready to copy. */

import { commandText } from "../../../shared/text/commandText.ts";
import { useT } from "../../i18n/index.ts";
import { useLive } from "../../rpc/hooks.ts";
import { VerdictShape } from "../../ui/Verdict.tsx";
import { CopyBlock } from "./CopyBlock.tsx";

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
  const commandLine = useLive((state) => state.status?.commandLine ?? null);
  if (way === "stdio") {
    const { file, args: own } = commandLine ?? { file: "sallyport", args: [] };
    const args = [...own, "mcp", "--client", name];
    const config = { mcpServers: { sallyport: { command: file, args } } };
    return (
      <div className="stack">
        <p>{t("connect.stdioText")}</p>
        <CopyBlock label={t("connect.command")} text={commandText([file, ...args])} />
        <CopyBlock label={t("connect.config")} text={JSON.stringify(config, null, 2)} />
        {commandLine === null ? <p className="second">{t("connect.fromClone")}</p> : null}
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
