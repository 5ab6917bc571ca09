export { runsOf } from "./compare";
export * from "./compile";
export * from "./parse";
export * from "./time-zones";
export * from "./words";
