/** Text to put somewhere else, with a button that copies it. */

import { useState } from "react";
import { useT } from "../../i18n/index.ts";
import { Button } from "../../ui/Button.tsx";

export function CopyBlock({ label, text }: { label: string; text: string }) {
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
