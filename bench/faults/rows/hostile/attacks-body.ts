import { type Attack, get, JSON_TYPE, post, request, type Target } from "./attack";

const MIB = 1024 * 1024;
const schedule = { schedule_name: "hostile", pipeline_name: "nightly-images", cron_expression: "@daily" };
const job = { query: "print(1)", query_type: "PYTHON" };

/** Bodies and fields that are not what they should be. */
export function bodyAttacks(target: Target): Attack[] {
	return [...shapes(target), ...names(target), ...numbers(target), ...environments(target)];
}

function shapes(target: Target): Attack[] {
	const create = (name: string, body: unknown, status = 400): Attack => ({
		name,
		pieces: post(target, "/pipeline/create-schedule", body),
		status,
	});
	const typed = (type: string): Attack => ({
		name: `JSON sent as ${type}`,
		pieces: request(target, "POST", "/api/datachain/pipeline/create-schedule", {
			headers: [`Content-Type: ${type}`],
			body: JSON.stringify(schedule),
		}),
		status: 415,
	});
	return [
		create("JSON that breaks off", '{"schedule_name": "x'),
		create("two JSON values", `${JSON.stringify(schedule)}${JSON.stringify(schedule)}`),
		create("JSON with a NUL in it", '{"schedule_name": "a\u0000b"}'),
		create("invalid UTF-8", Buffer.from('{"schedule_name":"\xff\xfe"}', "latin1")),
		create("UTF-8 of a surrogate", Buffer.from('{"schedule_name":"\xed\xa0\x80"}', "latin1")),
		create("UTF-16", Buffer.from(JSON.stringify(schedule), "utf16le")),
		create("an array", [schedule]),
		create("a number", 7),
		create("100,000 levels of nesting", `{"schedule_name": ${"[".repeat(100_000)}${"]".repeat(100_000)}}`),
		create("100,000 open brackets", "[".repeat(100_000)),
		create("everything behind __proto__", `{"__proto__": ${JSON.stringify(schedule)}}`),
		create("everything behind constructor.prototype", { constructor: { prototype: schedule } }),
		create("objects for texts", { schedule_name: { toString: "x" }, pipeline_name: [], cron_expression: 1 }),
		create("a body over the limit", { ...schedule, note: "x".repeat(MIB + 1) }, 413),
		create("a name of 1 MB", { ...schedule, schedule_name: "n".repeat(MIB - 200) }),
		create("a cron expression of 1 MB", { ...schedule, cron_expression: "* ".repeat(MIB / 2 - 100) }),
		create("a cron expression of many lists", {
			...schedule,
			cron_expression: `${"1,".repeat(200_000)}1 * * * *`,
		}),
		{
			name: "a chunked body over the limit",
			pieces: [
				...request(target, "POST", "/api/datachain/jobs/", {
					headers: [JSON_TYPE, "Transfer-Encoding: chunked"],
				}),
				...Array.from({ length: 20 }, () => `10000\r\n${"x".repeat(0x10000)}\r\n`),
			],
			status: 413,
		},
		typed("text/plain"),
		typed("application/x-www-form-urlencoded"),
		typed("application/xml"),
		typed("multipart/form-data; boundary=XX"),
		typed("nonsense"),
		{
			name: "JSON for an upload",
			pieces: request(target, "POST", "/api/datachain/jobs/files", { headers: [JSON_TYPE], body: "{}" }),
		},
		{
			name: "a compressed body",
			pieces: request(target, "POST", "/api/datachain/jobs/", {
				headers: [JSON_TYPE, "Content-Encoding: gzip"],
				body: Buffer.from("1f8b0800000000000003abae050043bfa6a302000000", "hex"),
			}),
		},
	];
}

const CONTROLS: readonly [string, string][] = [
	["a line break", "a\nb"],
	["a carriage return", "a\rb"],
	["a NUL", "a\u0000b"],
	["an escape sequence", "\u001b[2Ja"],
	["a C1 control", "a\u009bb"],
	["a DEL", "a\u007fb"],
];

function names(target: Target): Attack[] {
	return CONTROLS.flatMap(([what, text]): Attack[] => [
		{
			name: `${what} in a schedule's name`,
			pieces: post(target, "/pipeline/create-schedule", { ...schedule, schedule_name: text }),
			status: 400,
		},
		{
			name: `${what} in a schedule's new name`,
			pieces: post(target, "/pipeline/update-schedule", { schedule_id: 1, schedule_name: text }),
			status: 400,
		},
		{
			name: `${what} in a job's name`,
			pieces: post(target, "/jobs/", { ...job, query_name: text }),
			status: 400,
		},
		{
			name: `${what} in a team's name`,
			pieces: post(target, "/jobs/", { ...job, team_name: text }),
			status: 400,
		},
		{
			name: `${what} in a pipeline's name`,
			pieces: post(target, "/pipeline/pause", { name: text }),
			status: 404,
		},
	]);
}

const NUMBERS = [
	"-1",
	"-9007199254740993",
	"9007199254740993",
	"1e400",
	"1.5",
	"99999999999999999999",
	'"1"',
	"[1]",
	"{}",
	"true",
];

function numbers(target: Target): Attack[] {
	const queries = [
		"-1",
		"0",
		"1.5",
		"1e3",
		"0x10",
		"NaN",
		"Infinity",
		"99999999999999999999",
		"%D9%A1",
		"1%00",
		"--1",
	];
	return [
		...NUMBERS.flatMap((text): Attack[] => [
			{
				name: `deleting schedule ${text}`,
				pieces: post(target, "/pipeline/delete-schedule", `{"schedule_id": ${text}}`),
			},
			{
				name: `updating schedule ${text}`,
				pieces: post(target, "/pipeline/update-schedule", `{"schedule_id": ${text}, "schedule_name": "x"}`),
			},
			{
				name: `${text} workers`,
				pieces: post(target, "/pipeline/settings", `{"pipeline_name": "nightly-images", "workers": ${text}}`),
				status: 400,
			},
			{
				name: `priority ${text}`,
				pieces: post(target, "/jobs/", `{"query": "x", "query_type": "PYTHON", "priority": ${text}}`),
				status: 400,
			},
		]),
		...queries.flatMap((text): Attack[] => [
			{ name: `a list with limit ${text}`, pieces: get(target, `/jobs/?limit=${text}`), status: 400 },
			{ name: `schedule ${text}`, pieces: get(target, `/pipeline/schedule?schedule_id=${text}`) },
		]),
		...[
			"9".repeat(400),
			"-".repeat(400),
			"0001-13-45",
			"+999999-01-01T00:00:00Z",
			"2026-01-01T25:00:00Z",
		].map((text) => ({
			name: `a start at ${text.slice(0, 24)}`,
			pieces: post(target, "/pipeline/create-schedule", { ...schedule, start_after: text }),
			status: 400,
		})),
	];
}

/** Lines are the form in which variables travel; what is no such line adds nothing. */
function environments(target: Target): Attack[] {
	const lines = [
		"A=1\nrest of a secret",
		"A=1\n=2",
		"A=1\n2B=3",
		"A=1\n B C=3",
		"\u0000=1",
		"A\u0000B=1",
		"A=1\u0000B=2",
		"A=1\rB=2",
		`${"A".repeat(10)}`,
	];
	return lines.flatMap((environment): Attack[] => [
		{
			name: `settings with the variables ${JSON.stringify(environment)}`,
			pieces: post(target, "/pipeline/settings", { pipeline_name: "nightly-images", environment }),
			status: 400,
		},
		{
			name: `a job with the variables ${JSON.stringify(environment)}`,
			pieces: post(target, "/jobs/", { ...job, environment }),
			status: 400,
		},
	]);
}
