import { resolve } from "node:path";

/** The checkout's root. */
export const repository = resolve(__dirname, "..");
