/** By whose rules the config is read; the third choice is the comparison of both. */

import { useT } from "../../i18n/index.ts";
import { Picker } from "../../ui/index.ts";
import { type Semantics, semanticsIds } from "./model/semantics.ts";

export function SemanticsPicker(props: {
  value: Semantics;
  onChange: (semantics: Semantics) => void;
  /** Absent: the comparison is not offered. */
  onBoth?: () => void;
}) {
  const t = useT("policy");
  return (
    <Picker
      label={t("preset.label")}
      value={props.value}
      options={[
        ...semanticsIds.map((value) => ({ value, label: t(`preset.${value}`) })),
        ...(props.onBoth === undefined ? [] : [{ value: "both", label: t("preset.both") }]),
      ]}
      onChange={(value) => {
        const chosen = semanticsIds.find((id) => id === value);
        if (chosen === undefined) props.onBoth?.();
        else props.onChange(chosen);
      }}
    />
  );
}
