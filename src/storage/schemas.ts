/** Loaded with the first storage: most programs declare none, and zod comes with it. */
export const storageSchemas = () => require("../schemas/storage") as typeof import("../schemas/storage");
