export * from "./appError.ts";
