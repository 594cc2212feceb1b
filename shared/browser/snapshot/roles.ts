/** The three classes of roles that decide which lines of a role snapshot get refs (browser.md 9.1). */

export const interactiveRoles: ReadonlySet<string> = new Set(
  (
    "button checkbox combobox link listbox menuitem menuitemcheckbox menuitemradio option radio searchbox slider " +
    "spinbutton switch tab textbox treeitem"
  ).split(" "),
);

/** Get a ref only with a name. */
export const contentRoles: ReadonlySet<string> = new Set(
  "article cell columnheader gridcell heading listitem main navigation region rowheader".split(" "),
);

/** Never get a ref; dropped by compact when unnamed. */
export const structuralRoles: ReadonlySet<string> = new Set(
  (
    "application directory document generic grid group ignored list menu menubar none presentation row rowgroup table " +
    "tablist toolbar tree treegrid"
  ).split(" "),
);

export function earnsRef(role: string, name: string): boolean {
  return interactiveRoles.has(role) || (contentRoles.has(role) && name !== "");
}
