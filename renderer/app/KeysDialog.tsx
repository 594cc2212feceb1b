/** `?`: the keys that work everywhere, and those of the view on screen. */

import { useStore } from "zustand";
import { useT } from "../i18n/index.ts";
import { Button } from "../ui/Button.tsx";
import { Dialog } from "../ui/Dialog.tsx";
import { viewKeyStore } from "./viewKeys.ts";

const frameKeys = ["Ctrl K", "Ctrl 1…9", "Ctrl Shift A", "F6", "?", "Esc"] as const;

export function KeysDialog({ onClose }: { onClose: () => void }) {
  const t = useT("frame");
  const sets = useStore(viewKeyStore, (state) => state.sets);
  const own = sets.flatMap((set) => Object.entries(set));
  return (
    <Dialog title={t("keys.title")} onClose={onClose}>
      {own.length === 0 ? null : (
        <>
          <h3>{t("keys.view")}</h3>
          <dl className="keys-list">
            {own.map(([key, entry]) => (
              <KeyRow key={key} name={key.replaceAll("+", " ")} label={entry.label} />
            ))}
          </dl>
        </>
      )}
      <h3>{t("keys.everywhere")}</h3>
      <dl className="keys-list">
        {frameKeys.map((key, index) => (
          <KeyRow key={key} name={key} label={t(`keys.frame.${index}`)} />
        ))}
      </dl>
      <Button onClick={onClose}>{t("close")}</Button>
    </Dialog>
  );
}

function KeyRow({ name, label }: { name: string; label: string }) {
  return (
    <>
      <dt>
        <kbd className="kbd">{name}</kbd>
      </dt>
      <dd>{label}</dd>
    </>
  );
}
