import { z } from "zod";
import { someText } from "../schemas/primitives";
import { type Rule, secret, text, urlRule } from "./parameter";

/** Parameters of the dataset hub, in the order of the documentation. What each means is said where programs see it: src/storage/args.ts. */
export const hfShape = {
	token: secret(z.union([someText, z.boolean()], "must be a token, or true or false").optional()),
	endpoint: text,
};

type HfParameters = z.infer<z.ZodObject<typeof hfShape>>;

export const hfErrors: readonly Rule<HfParameters>[] = [
	urlRule("endpoint", { path: true, expected: "an http:// or https:// URL" }),
];

export const hfWarnings: readonly Rule<HfParameters>[] = [
	{
		name: "token of a person's machine",
		parameter: "token",
		broken: (p) => p.token === true,
		message:
			"is true, which needs a saved token, and a job has none unless HF_TOKEN is in its environment. Give the token.",
	},
];
