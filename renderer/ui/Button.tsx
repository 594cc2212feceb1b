/** Buttons: filled for the one act that is safe to press first, outlined for acts, plain for the rest. */

import type { ButtonHTMLAttributes, ReactNode, Ref } from "react";
import { Icon, type IconName } from "./Icon.tsx";

export interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** `filled`: ink on panel. `outlined`: the default. `plain`: no outline. `danger`: outlined in stop. */
  look?: "filled" | "outlined" | "plain" | "danger";
  size?: "primary" | "small";
  icon?: IconName;
  ref?: Ref<HTMLButtonElement>;
  children?: ReactNode;
}

export function Button({
  look = "outlined",
  size = "small",
  icon,
  children,
  className,
  type = "button",
  ...rest
}: ButtonProps) {
  return (
    <button
      type={type}
      className={`button button-${look} button-${size}${className === undefined ? "" : ` ${className}`}`}
      {...rest}
    >
      {icon === undefined ? null : <Icon name={icon} />}
      {children}
    </button>
  );
}

/** A key or chord as it is printed on the keyboard; hidden from screen readers, which get `aria-keyshortcuts`. */
export function Kbd({ children }: { children: ReactNode }) {
  return (
    <span className="kbd" aria-hidden="true">
      {children}
    </span>
  );
}
