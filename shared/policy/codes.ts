/** The closed sets of words that policy answers are made of; texts for them live in the panel's catalogues. */

/** Columns of the policy matrix, in the order in which tools pass them on the model and MCP surfaces. */
export const columnIds = [
  "exists",
  "message-provider",
  "model-provider",
  "owner-only",
  "profile",
  "provider-profile",
  "global",
  "global-provider",
  "agent",
  "agent-provider",
  "group",
  "sandbox",
  "subagent",
  "http",
] as const;
export type ColumnId = (typeof columnIds)[number];

/** Names of the pre-filters as the result reports them. `surface` and `http-deny` occur on the HTTP surface only. */
export const preFilterIds = [
  "plugin-registration",
  "surface",
  "message-provider",
  "model-provider",
  "owner-only",
  "http-deny",
] as const;
export type PreFilterId = (typeof preFilterIds)[number];

/** What a column does to a tool. `gone`: removed earlier and this column has nothing to add. */
export const cellEffects = [
  "kept",
  "removed",
  "wouldRemove",
  "skipped",
  "absent",
  "failsOpen",
  "withoutEffect",
  "gone",
] as const;
export type CellEffect = (typeof cellEffects)[number];

/** Which kind of list a rule comes from. `implicit`: an exec or fs section next to a profile. */
export const ruleLists = [
  "allow",
  "alsoAllow",
  "deny",
  "profile",
  "implicit",
  "default",
  "pre-filter",
] as const;
export type RuleList = (typeof ruleLists)[number];

/** Why a rule is what it is, why a cell is what it is, or why a rule lost. Each code has fixed params. */
export const reasonCodes = [
  // exists
  "unavailable", // {reason}
  "plugins-disabled",
  "optional-not-enabled", // {tool, pluginId}
  "plugin-id-conflict", // {pluginId}
  "plugin-name-conflict", // {tool}
  "not-on-surface", // {surface}
  // the other pre-filters
  "voice-removes-tts",
  "node-keeps-few",
  "native-web-search",
  "owner-only",
  // kept
  "allowed-by-name", // {entry}
  "allowed-by-group", // {entry}
  "allowed-by-pattern", // {entry}
  "allowed-by-plugin", // {entry}
  "allowed-by-star",
  "allowed-through-write", // {entry}
  "in-profile", // {profile}
  "no-allow-list",
  "list-dropped",
  "not-filtered", // appended behind the pipeline
  // removed
  "denied-by-name", // {entry}
  "denied-by-group", // {entry}
  "denied-by-pattern", // {entry}
  "denied-by-plugin", // {entry}
  "denied-by-star",
  "denied-through-write", // {entry}
  "not-listed",
  "not-in-profile", // {profile}
  "sandbox-default-deny",
  "not-in-sandbox-default",
  "subagent-always-denied",
  "subagent-leaf-denied",
  "http-default-deny", // {threat}
  "http-denied", // {entry}
  "http-stage", // {column}
  // what an entry is
  "names-tool",
  "names-group",
  "names-plugin",
  "is-pattern",
  "is-star",
  "profile-lists", // {profile}
  "implicit-exec",
  "implicit-fs",
  "also-allow-star",
  "list-restricts",
  "default-list",
  // why a rule lost
  "deny-beats-allow",
  "removed-earlier", // {column}
  "replaced-by-agent",
  "replaced-by-model-entry",
  "replaced-by-group-entry",
  "replaced-by-sender",
  "replaced-by-configured",
  "lifted-by-allow",
  "not-in-context",
] as const;
export type ReasonCode = (typeof reasonCodes)[number];

/** The four classes of the default HTTP deny list, by what would go wrong. */
export const httpThreats = [
  /** One call is one arbitrary command. */
  "remote-code-execution",
  /** Files of the host can be rewritten, moved or removed without running anything. */
  "host-file-change",
  /** The effect outlives or leaves the calling session: new agents, other sessions, schedules, the gateway, paired hosts. */
  "persistence-and-reach",
  /** Makes no sense without a terminal: the request would hang. */
  "interactive-only",
] as const;
export type HttpThreat = (typeof httpThreats)[number];

export const findingKinds = [
  /** The whole allow list is dropped and restricts nothing. */
  "list-stripped",
  /** None of the profile's core tools entered: the profile restricts nothing. */
  "profile-without-core",
  /** A pattern is not recognised as naming core tools. */
  "pattern-not-core",
  /** An entry names nothing that exists. */
  "unknown-entry",
  /** An entry names a catalog tool that is not there in this context. */
  "gated-entry",
  /** The profile word is not one of the four, so it restricts nothing. */
  "unknown-profile",
  // the debugger adds:
  "deny-names-nothing",
  "allow-and-also-allow",
  "shadowed-entry",
  "unreachable-entry",
  "wider-than-profile",
  "provider-key-never-matches",
  /** A wider entry of the same list says it already. */
  "covered-entry",
  /** An earlier agent of the list has the same id. */
  "duplicate-agent",
  /** An entry of gateway.tools that is not the exact name of a tool: there it denies nothing. */
  "http-entry-not-exact",
  /** An entry of gateway.tools.allow that is none of the names which HTTP withholds. */
  "http-allow-lifts-nothing",
  /** Names that HTTP withholds for a reason are let through. */
  "http-lifts-dangerous",
  /** The same on a gateway that other machines reach. */
  "http-lifts-exposed",
  "skill-without-tools",
  /** `/<skill>` calls a tool that policy or the surface of skill commands withholds. */
  "skill-command-unreachable",
] as const;
export type FindingKind = (typeof findingKinds)[number];
