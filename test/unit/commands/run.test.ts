import { expect, test } from "vitest";
import { exitCodeOf } from "../../../src/commands/follow-job";
import { jobInputs } from "../../../src/commands/run";

const NOW = Date.UTC(2026, 0, 31, 3);
const inputs = (options: object) =>
	Object.fromEntries(
		Object.entries(
			jobInputs("train.py", { onInterrupt: "leave", ...options }, NOW),
		).filter(([, value]) => value !== undefined),
	);

test.each([
	["--ignore-checkpoints", { ignoreCheckpoints: true }, { reset: true }],
	// As the service's own client does.
	[
		"--cron",
		{ cron: "@daily" },
		{ cronExpression: "@daily", startAfter: "2026-01-31T03:00:00.000000+00:00" },
	],
	[
		"--cron with --start-time",
		{ cron: "@daily", startTime: "2026-02-01" },
		{ cronExpression: "@daily", startAfter: "2026-02-01" },
	],
	["--env", { env: ["A=1", "B==", "A=2"] }, { environment: { A: "2", B: "=" } }],
	["--req", { req: ["numpy", "pillow"] }, { requirements: "numpy\npillow" }],
])("run with %s", (_, options, expected) => {
	expect(inputs(options)).toEqual({ file: "train.py", ...expected });
});

test.each([
	[{ wait: true, cron: "@daily" }, "--wait and --cron: "],
	[{ wait: true, startTime: "2026-02-01" }, "--wait and --start-time: "],
	[
		{ env: ["sesame-open-42"] },
		"--env takes NAME=VALUE; one of them has no name, or no equals sign.",
	],
	[{ env: ["=sesame"] }, "--env takes NAME=VALUE"],
])("run refuses %j", (options, message) => {
	expect(() => inputs(options)).toThrow(message);
});

test.each([
	[7, 7],
	[-9, 247],
	[0, 1],
	[null, 1],
	// Python's os.wait says 256 for an exit code of 1; a process that ends with 256 ends with 0.
	[256, 1],
])(
	"a failed job with exit code %s never ends the command with 0",
	(exit_code, expected) => {
		expect(exitCodeOf({ exit_code })).toBe(expected);
	},
);
