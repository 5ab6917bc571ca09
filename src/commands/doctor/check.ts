import { readFileSync } from "node:fs";
import { z } from "zod";

const checkSchema = z.object({
	name: z.string(),
	/** `skip`: could not be looked at, because something before it failed. */
	status: z.enum(["ok", "warn", "fail", "skip"]),
	message: z.string(),
	/** What to do about it; there for every `warn` and `fail`. */
	fix: z.string().optional(),
});

export type Check = z.infer<typeof checkSchema>;

/** What a check found. */
export type Verdict = Omit<Check, "name">;

/** Checks by their names, in the order in which they are shown. */
export type Checks = Readonly<Record<string, Verdict>>;

/** What `pulumi-datachain doctor --json` prints. */
export const doctorReportSchema = z.object({
	schemaVersion: z.literal(1),
	ok: z.boolean(),
	checks: z.array(checkSchema),
});

export type DoctorReport = z.infer<typeof doctorReportSchema>;

export const ok = (message: string): Verdict => ({ status: "ok", message });
export const warn = (message: string, fix: string): Verdict => ({
	status: "warn",
	message,
	fix,
});
export const fail = (message: string, fix: string): Verdict => ({
	status: "fail",
	message,
	fix,
});
export const skip = (message: string): Verdict => ({ status: "skip", message });

/** None of them could be looked at. */
export const skipAll = (names: readonly string[], why: string): Checks =>
	Object.fromEntries(names.map((name) => [name, skip(why)]));

export function reportOf(checked: Checks): DoctorReport {
	const checks = Object.entries(checked).map(([name, verdict]) => ({
		name,
		...verdict,
	}));
	return {
		schemaVersion: 1,
		ok: !checks.some(({ status }) => status === "fail"),
		checks,
	};
}

const manifestSchema = z.looseObject({
	version: z.string(),
	/** In an SDK that Pulumi generated. */
	pulumi: z.looseObject({ resource: z.boolean().optional() }).optional(),
});

export type Manifest = z.infer<typeof manifestSchema>;

/** A package.json; throws if there is none to read. */
export const readManifest = (path: string): Manifest =>
	manifestSchema.parse(JSON.parse(readFileSync(path, "utf8")));

export const manifestVersion = (path: string): string => readManifest(path).version;

/** The oldest CLI whose refresh shows drift field by field. */
export const OLDEST_CLI = "3.216.0";

/** Compares `20.18.1` and `v3.216.0-dev` by their numbers; what is no version is older than everything. */
export function isAtLeast(version: string, minimum: string): boolean {
	const [, numbers] = /^v?(\d+(?:\.\d+)*)/.exec(version.trim()) ?? [];
	return (
		numbers !== undefined &&
		numbers.localeCompare(minimum, "en", { numeric: true }) >= 0
	);
}

/** Whether the version fits a range of the form `>=3.216.0 <4`. */
export function isInRange(version: string, range: string): boolean {
	return range.split(/\s+/).every((part) => {
		const [, sign, bound = ""] = /^(>=|<)(.+)$/.exec(part) ?? [];
		const reached = isAtLeast(version, bound);
		return sign === "<" ? !reached : reached;
	});
}
