/** JSON5 texts with places, and edits that keep comments and formatting: for the runtime, the panel and the command line. */

export * from "./json5Document.ts";
export * from "./json5Edit.ts";
export * from "./json5Print.ts";
