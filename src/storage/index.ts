export type * from "./args";
export * from "./builders";
