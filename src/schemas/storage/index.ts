export { azShape } from "./az";
export * from "./check";
export * from "./compare";
export { gsShape } from "./gs";
export { hfShape } from "./hf";
export * from "./kinds";
export * from "./render";
export { s3Shape } from "./s3";
export * from "./uri";
