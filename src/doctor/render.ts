import { createColors } from "picocolors";
import type { Check, DoctorReport } from "./result";

/** One line a check, and the fix under what needs one. */
export function renderDoctor(report: DoctorReport, options: { color: boolean }): string {
	const colors = createColors(options.color);
	const paint: Record<Check["status"], (text: string) => string> = {
		ok: colors.green,
		warn: colors.yellow,
		fail: colors.red,
		skip: colors.dim,
	};
	const width = Math.max(...report.checks.map(({ name }) => name.length));
	const lines = report.checks.flatMap(({ name, status, message, fix }) => [
		`${paint[status](status.padEnd(4))}  ${name.padEnd(width)}  ${oneLine(message)}`,
		...(fix === undefined ? [] : [`${" ".repeat(width + 8)}${colors.bold("Fix:")} ${oneLine(fix)}`]),
	]);
	const count = (status: Check["status"]) => report.checks.filter((check) => check.status === status).length;
	const verdict = report.ok ? colors.green("Ready") : colors.red("Not ready");
	return `${lines.join("\n")}\n\n${verdict}: ${count("ok")} ok, ${count("warn")} to look at, ${count("fail")} failed.\n`;
}

/** Messages may repeat what a service or another program said. */
const oneLine = (text: string): string => text.replace(/[\p{Cc}\p{Cf}]+/gu, " ").trim();
