import { mkdirSync, readFileSync, rmdirSync, statSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { type AttemptInfo, resolveRequestLog, wantsTraces } from "../../../src/client";
import { logLine } from "../../../src/client/request-log";
import { connectionFailure } from "../../helpers/api-calls";
import { testFolder } from "../../helpers/test-folder";

const info: AttemptInfo = {
	operation: "createSchedule",
	method: "POST",
	path: "/x/",
	teamName: 'm"l',
	attempt: 2,
	requestId: "r-1",
	resource: undefined,
	status: 200,
	error: undefined,
	durationMillis: 12.4,
	serviceTime: undefined,
};
const now = new Date("2026-01-31T03:00:00Z");

const written = () => join(testFolder("request-log-"), "a:b.log");

function stderr() {
	const said = vi.spyOn(process.stderr, "write").mockReturnValue(true);
	onTestFinished(() => said.mockRestore());
	return () => said.mock.calls.map(([text]) => String(text));
}

test.each<[Partial<AttemptInfo>, string]>([
	[{}, 'team="m\\"l" attempt=2 status=200 12ms request=r-1'],
	[
		{
			resource: '"nightly"',
			status: undefined,
			error: "NetworkError",
			durationMillis: 0.5,
		},
		'team="m\\"l" resource="nightly" attempt=2 status=none error=NetworkError 1ms request=r-1',
	],
])("a line of %o", (given, rest) => {
	expect(logLine({ ...info, ...given }, now)).toBe(
		`2026-01-31T03:00:00.000Z createSchedule POST /x/ ${rest}`,
	);
});

describe("where lines go", () => {
	test("to the given writer, or to stderr by default, and nowhere if it is off", () => {
		const lines: string[] = [];
		const said = stderr();
		const line = expect.stringMatching(/^20\S+Z createSchedule .* request=r-1\n$/);
		resolveRequestLog({
			env: { DATACHAIN_LOG: " debug " },
			write: (text) => lines.push(text),
		})?.(info);
		expect([lines, said()]).toEqual([[line], []]);
		for (const DATACHAIN_LOG of ["off", "debug"])
			resolveRequestLog({ env: { DATACHAIN_LOG } })?.(info);
		expect(said()).toEqual([line]);
	});

	test("to a file that only this user can read", () => {
		const path = written();
		const elsewhere: string[] = [];
		const env = { DATACHAIN_LOG: `debug:${path}` };
		const log = resolveRequestLog({ env, write: (line) => elsewhere.push(line) });
		expect(readFileSync(path, "utf8")).toBe("");
		log?.(info);
		log?.(info);
		expect(readFileSync(path, "utf8").match(/ request=r-1\n/g)).toHaveLength(2);
		expect(statSync(path).mode & 0o777).toBe(0o600);
		expect(elsewhere).toEqual([]);
	});

	test("to stderr goes one warning when the file cannot be written, until it can be again", () => {
		const path = written();
		const said = stderr();
		const log = resolveRequestLog({ env: { DATACHAIN_LOG: `debug:${path}` } });
		for (let times = 0; times < 2; times += 1) {
			unlinkSync(path);
			mkdirSync(path);
			log?.(info);
			log?.(info);
			rmdirSync(path);
			log?.(info);
		}
		const missing = `DATACHAIN_LOG: lines are missing in ${path} (EISDIR).\n`;
		expect(said()).toEqual([missing, missing]);
		expect(readFileSync(path, "utf8")).toContain("request=r-1");
	});
});

test.each([
	[
		"verbose",
		'DATACHAIN_LOG (or datachain:log) cannot be "verbose": use debug for stderr, debug:FILE for a file, or off.',
	],
	[
		"debug:/nonexistent/x.log",
		"DATACHAIN_LOG names a file that cannot be written (ENOENT): /nonexistent/x.log. Name another, or use debug for stderr.",
	],
])("%s is refused with what can be used", (text, message) => {
	const error = connectionFailure(() =>
		resolveRequestLog({ env: { DATACHAIN_LOG: text } }),
	);
	expect(error.message).toBe(message);
	expect(error.settings).toEqual([]);
});

describe("what turns the log on", () => {
	const config = (key: string) => (key === "log" ? "debug" : undefined);

	test("is the environment, and then the config", () => {
		expect(resolveRequestLog({ env: {}, config: () => "  " })).toBeUndefined();
		expect(resolveRequestLog({ env: { DATACHAIN_LOG: "  " }, config })).toBeTypeOf(
			"function",
		);
		expect(() => resolveRequestLog({ env: { DATACHAIN_LOG: "no" }, config })).toThrow(
			'cannot be "no"',
		);
	});

	test.each([
		["debug", true],
		[" debug:FILE", true],
		["debugger", false],
		["no debug", false],
	])("%j makes errors show their stack traces: %s", (text, wants) => {
		expect(wantsTraces({ env: { DATACHAIN_LOG: text } })).toBe(wants);
		expect(wantsTraces({ env: {}, config: () => text })).toBe(wants);
	});
});
