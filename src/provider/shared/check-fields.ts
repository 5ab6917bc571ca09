import { type Problem, type Props, problem } from "../handler";
import { withoutMarks } from "./foreign";
import { type AnyTable, deepEqual } from "./table";
import { containsUnknown, isUnknown } from "./unknown";

/**
 * Checks each field of `news` with its own schema. Fields that are not known before the deployment are left out:
 * they are checked again when they are. Values never enter a message, because any of them may be secret.
 */
export function checkFields(table: AnyTable, olds: Props, news: Props): Problem[] {
	const problems: Problem[] = [];
	for (const [field, { schema }] of Object.entries(table)) {
		const value = withoutMarks(news[field]);
		if (isUnknown(value) || isKept(olds[field], news[field])) continue;
		const result = schema.safeParse(value ?? undefined, { reportInput: false });
		for (const issue of result.error?.issues ?? []) {
			if (containsUnknown(issue.path.reduce<unknown>((found, key) => Object(found)[key], value))) continue;
			const path = [field, ...issue.path.map(String)].join(".");
			const why = value === undefined ? "is required" : issue.message;
			problems.push({ field, reason: `${path}: ${why}${/[.?!]$/.test(why) ? "" : "."}` });
		}
	}
	for (const field of Object.keys(news)) {
		if (field in table) continue;
		problems.push(problem(field, `there is no such input. The inputs are ${Object.keys(table).join(", ")}.`));
	}
	return problems;
}

/** With `ignoreChanges` the program hands back what the state has, which may be what somebody else set: it is not checked. */
export const isKept = (old: unknown, declared: unknown): boolean =>
	declared !== undefined && deepEqual(old, declared);
