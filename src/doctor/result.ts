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

/** What `pulumi-datachain doctor --json` prints. */
export const doctorReportSchema = z.object({
	schemaVersion: z.literal(1),
	ok: z.boolean(),
	checks: z.array(checkSchema),
});

export type DoctorReport = z.infer<typeof doctorReportSchema>;

export const ok = (name: string, message: string): Check => ({ name, status: "ok", message });

const withFix =
	(status: "warn" | "fail") =>
	(name: string, message: string, fix: string): Check => ({ name, status, message, fix });

export const warn = withFix("warn");
export const fail = withFix("fail");

export const skip = (name: string, message: string): Check => ({ name, status: "skip", message });

export function reportOf(checks: readonly Check[]): DoctorReport {
	return { schemaVersion: 1, ok: !checks.some(({ status }) => status === "fail"), checks: [...checks] };
}
