import type { z } from "zod";
import { objectName } from "../schemas/primitives";

/** Half of a surrogate pair is no character: it does not survive the way through Pulumi's engine, which speaks UTF-8. */
export const isWellFormed = (text: string): boolean => !/\p{Cs}/u.test(text);

export const NOT_WELL_FORMED = "has half of a character in it, which cannot be declared";

export const firstIssue = (error: z.ZodError): string => error.issues[0]?.message ?? "cannot be declared";

/** Why a name cannot be declared; undefined where it can. */
export function nameProblem(name: string | null | undefined): string | undefined {
	const { error } = objectName.safeParse(name);
	if (error !== undefined) return firstIssue(error);
	return isWellFormed(name ?? "") ? undefined : NOT_WELL_FORMED;
}

/** Only what is set is declared: an omitted argument and an empty one are different things. */
export function declared<Name, Value>(
	fields: readonly (readonly [Name, Value | undefined])[],
): (readonly [Name, Value])[] {
	return fields.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
}
