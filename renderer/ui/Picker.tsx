/** A choice from a list with search, in a popover. The trigger shows label and value. */

import { Popover } from "radix-ui";
import { type KeyboardEvent, useId, useMemo, useState } from "react";
import { useT } from "../i18n/index.ts";
import { Icon } from "./Icon.tsx";

export interface PickerOption {
  value: string;
  label: string;
  /** Smaller text behind the label. */
  hint?: string;
}

export interface PickerProps {
  label: string;
  value: string;
  options: readonly PickerOption[];
  onChange: (value: string) => void;
  /** When set, text that matches no option can be taken as it is. */
  allowOther?: boolean;
  /** `bar`: label and value in one line without outline, for the context bar. */
  look?: "bar" | "field";
}

export function Picker({ label, value, options, onChange, allowOther = false, look = "bar" }: PickerProps) {
  const t = useT("common");
  const [isOpen, setIsOpen] = useState(false);
  const [query, setQuery] = useState("");
  const [active, setActive] = useState(0);
  const listId = useId();
  const shown = useMemo(() => filterOptions(options, query, allowOther), [options, query, allowOther]);
  const current = options.find((option) => option.value === value);
  const choose = (option: PickerOption | undefined) => {
    if (option === undefined) return;
    onChange(option.value);
    setIsOpen(false);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "ArrowDown") setActive(Math.min(active + 1, shown.length - 1));
    else if (event.key === "ArrowUp") setActive(Math.max(active - 1, 0));
    else if (event.key === "Enter") choose(shown[active]);
    else return;
    event.preventDefault();
  };
  return (
    <Popover.Root
      open={isOpen}
      onOpenChange={(next) => {
        setIsOpen(next);
        setQuery("");
        setActive(
          Math.max(
            0,
            options.findIndex((option) => option.value === value),
          ),
        );
      }}
    >
      <Popover.Trigger className={`picker picker-${look}`}>
        <span className="picker-label">{label}</span>
        <span className="picker-value evidence ellipsis">{current?.label ?? value}</span>
        <Icon name="down" size={10} />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content className="popover" align="start" sideOffset={4} collisionPadding={8}>
          <input
            className="input"
            role="combobox"
            aria-expanded="true"
            aria-controls={listId}
            aria-activedescendant={shown.length === 0 ? undefined : `${listId}-${active}`}
            aria-label={t("picker.search", { label })}
            placeholder={t("picker.search", { label })}
            value={query}
            onChange={(event) => {
              setQuery(event.target.value);
              setActive(0);
            }}
            onKeyDown={onKeyDown}
          />
          <div className="picker-list" id={listId} role="listbox" aria-label={label}>
            {shown.map((option, index) => (
              <button
                key={option.value}
                type="button"
                id={`${listId}-${index}`}
                role="option"
                aria-selected={option.value === value}
                tabIndex={-1}
                className={`picker-option${index === active ? " is-active" : ""}`}
                onPointerMove={() => setActive(index)}
                onClick={() => choose(option)}
              >
                <span className="evidence ellipsis">{option.label}</span>
                {option.hint === undefined ? null : <span className="small nowrap">{option.hint}</span>}
              </button>
            ))}
            {shown.length === 0 ? <p className="small picker-empty">{t("picker.nothing")}</p> : null}
          </div>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

function filterOptions(options: readonly PickerOption[], query: string, allowOther: boolean): PickerOption[] {
  const words = query.trim().toLowerCase();
  if (words === "") return [...options];
  const found = options.filter((option) =>
    `${option.label} ${option.hint ?? ""}`.toLowerCase().includes(words),
  );
  const typed = query.trim();
  if (allowOther && !options.some((option) => option.value === typed)) {
    found.push({ value: typed, label: typed });
  }
  return found;
}
