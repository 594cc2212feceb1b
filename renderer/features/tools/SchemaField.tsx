/** One field of a generated form: the control that fits its schema, with hint and error tied to it. */

import type { TFunction } from "i18next";
import { Field } from "../../ui/index.ts";
import type { FieldError, FormField } from "./schemaForm.ts";

export function SchemaField(props: {
  t: TFunction;
  field: FormField;
  value: string;
  error: string | null;
  onChange: (value: string) => void;
}) {
  const { t, field, value, onChange } = props;
  const { control } = field;
  const hint = [
    ended(field.description, t("fullStop")),
    field.defaultText === "" ? "" : t("default", { value: field.defaultText }),
    control.kind === "list" ? t("onePerLine") : control.kind === "json" ? t("asJson") : "",
  ]
    .filter((part) => part !== "")
    .join(" ");
  return (
    <Field
      label={field.isRequired ? t("requiredLabel", { label: field.label }) : field.label}
      hint={hint === "" ? undefined : hint}
      error={props.error}
    >
      {(attributes) => {
        const shared = { ...attributes, "aria-required": field.isRequired, value };
        switch (control.kind) {
          case "boolean":
            return (
              <select className="input" {...shared} onChange={(event) => onChange(event.target.value)}>
                <option value="">{t("notSet")}</option>
                {["true", "false"].map((word) => (
                  <option key={word} value={word}>
                    {word}
                  </option>
                ))}
              </select>
            );
          case "choice":
            return (
              <select className="input" {...shared} onChange={(event) => onChange(event.target.value)}>
                <option value="">{t("notSet")}</option>
                {control.options.map((option) => (
                  <option key={String(option)} value={String(option)}>
                    {String(option)}
                  </option>
                ))}
              </select>
            );
          case "number":
            return (
              <input
                className="input evidence"
                inputMode="decimal"
                {...shared}
                onChange={(event) => onChange(event.target.value)}
              />
            );
          case "text":
            return control.isLong ? (
              <textarea
                className="textarea evidence"
                rows={3}
                spellCheck={false}
                {...shared}
                onChange={(event) => onChange(event.target.value)}
              />
            ) : (
              <input
                className="input evidence"
                spellCheck={false}
                autoComplete="off"
                {...shared}
                onChange={(event) => onChange(event.target.value)}
              />
            );
          default:
            return (
              <textarea
                className="textarea evidence"
                rows={2}
                spellCheck={false}
                {...shared}
                onChange={(event) => onChange(event.target.value)}
              />
            );
        }
      }}
    </Field>
  );
}

/** Descriptions are written for models, often without a full stop; more sentences follow here. */
function ended(text: string, fullStop: string): string {
  return text === "" || /[.!?)。！？]$/u.test(text) ? text : `${text}${fullStop}`;
}

export function fieldErrorText(t: TFunction, error: FieldError): string {
  return t(`errors.${error.code}`, { limit: error.limit ?? 0 });
}
