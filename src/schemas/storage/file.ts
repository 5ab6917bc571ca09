import { z } from "zod";

/** The local file system of a job needs no credentials, and its documentation names no parameters. */
export const fileShape = {};

export const fileSchema = z.strictObject(fileShape);
export type FileParameters = z.infer<typeof fileSchema>;
