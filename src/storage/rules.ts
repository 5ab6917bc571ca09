export { azShape } from "./az";
export * from "./check";
export { gsShape } from "./gs";
export { hfShape } from "./hf";
export * from "./kinds";
export { wireName } from "./parameter";
export * from "./render";
export { s3Shape } from "./s3";
export * from "./uri";
