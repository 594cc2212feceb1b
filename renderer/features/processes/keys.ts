/** Keys that a person can send to a program by button, and what they are on the wire. */

export const sendableKeys = [
  ["Enter", "\r"],
  ["Tab", "\t"],
  ["Esc", "\u001b"],
  ["C-c", "\u0003"],
  ["C-d", "\u0004"],
  ["Up", "\u001b[A"],
  ["Down", "\u001b[B"],
] as const;
