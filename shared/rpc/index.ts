export * from "./client.ts";
export * from "./contract.ts";
export * from "./frames.ts";
export * from "./serve.ts";
export * from "./transport.ts";
