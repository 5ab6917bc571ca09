import { randomBytes } from "node:crypto";

/*
 * What the command makes has names that nobody else gives, so that the next run finds what a killed one left behind. A
 * schedule or a variable counts as left behind only if the whole name has this form.
 */

const SCHEDULE = "pulumi-datachain-verify-";
const VARIABLE = "PULUMI_DATACHAIN_VERIFY_";

export interface OwnNames {
	readonly schedule: string;
	readonly renamed: string;
	readonly variable: string;
	readonly file: string;
}

export function ownNames(random = randomBytes(6).toString("hex")): OwnNames {
	const schedule = `${SCHEDULE}${random}`;
	return {
		schedule,
		renamed: `${schedule}-renamed`,
		variable: `${VARIABLE}${random.toUpperCase()}`,
		file: `${schedule}.txt`,
	};
}

export const isOwnSchedule = (name: unknown): name is string =>
	typeof name === "string" &&
	new RegExp(`^${SCHEDULE}[0-9a-f]{12}(-renamed)?$`).test(name);

export const isOwnVariable = (name: string): boolean =>
	new RegExp(`^${VARIABLE}[0-9A-F]{12}$`).test(name);
