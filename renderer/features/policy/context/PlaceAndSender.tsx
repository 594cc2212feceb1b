/** Where a message comes from and who sent it, typed in: a config may name people and rooms that no list can offer. */

import { Popover } from "radix-ui";
import { type FormEvent, useState } from "react";
import type { PolicyContext } from "../../../../shared/policy/types.ts";
import { useT } from "../../../i18n/index.ts";
import { Button, Field, Icon } from "../../../ui/index.ts";

const placeFields = ["groupId", "groupChannel", "groupSpace", "accountId"] as const;
const senderFields = ["senderId", "senderName", "senderUsername", "senderE164"] as const;
const sections = [
  ["place", placeFields],
  ["person", senderFields],
] as const;
type TypedField = (typeof placeFields)[number] | (typeof senderFields)[number];
type Typed = Partial<Record<TypedField, string>>;

export function PlaceAndSender(props: {
  context: PolicyContext;
  /** Undefined for what was emptied. */
  onChange: (change: Pick<PolicyContext, TypedField>) => void;
}) {
  const t = useT("policy");
  const { context } = props;
  const [isOpen, setIsOpen] = useState(false);
  const [typed, setTyped] = useState<Typed>({});
  const given = [...placeFields, ...senderFields].flatMap((field) => context[field] || []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setIsOpen(false);
    props.onChange(
      Object.fromEntries(
        [...placeFields, ...senderFields].map((field) => [
          field,
          (typed[field] ?? context[field] ?? "").trim() || undefined,
        ]),
      ),
    );
  };
  return (
    <Popover.Root
      open={isOpen}
      onOpenChange={(next) => {
        setIsOpen(next);
        setTyped({});
      }}
    >
      <Popover.Trigger className="picker picker-bar">
        <span className="picker-label">{t("context.typed.label")}</span>
        <span className="picker-value evidence ellipsis">
          {given.length === 0 ? t("context.typed.nobody") : given.join(" · ")}
        </span>
        <Icon name="down" size={10} />
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content className="popover policy-typed" align="start" sideOffset={4} collisionPadding={8}>
          <form onSubmit={submit} aria-label={t("context.typed.label")}>
            {sections.map(([section, fields]) => (
              <fieldset key={section}>
                <legend className="small">{t(`context.typed.${section}`)}</legend>
                {fields.map((field) => (
                  <Field key={field} label={t(`context.typed.${field}`)}>
                    {(control) => (
                      <input
                        {...control}
                        className="input evidence"
                        placeholder={field === "groupChannel" ? t("context.typed.example") : undefined}
                        value={typed[field] ?? context[field] ?? ""}
                        onChange={(event) => setTyped({ ...typed, [field]: event.target.value })}
                      />
                    )}
                  </Field>
                ))}
              </fieldset>
            ))}
            <Button type="submit">{t("context.typed.ask")}</Button>
          </form>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}
