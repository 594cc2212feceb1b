/** The note that the agent gets with a denial (A13). Enter is a new line. */

import { useT } from "../../i18n/index.ts";
import { Field } from "../../ui/Field.tsx";

const maxLength = 4_000;

export function NoteField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const t = useT("approvals");
  return (
    <Field label={t("note.label")} hideLabel hint={t("note.hint")}>
      {(control) => (
        <textarea
          {...control}
          className="textarea"
          rows={2}
          maxLength={maxLength}
          placeholder={t("note.placeholder")}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}
