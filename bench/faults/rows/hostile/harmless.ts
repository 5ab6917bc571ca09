import type { Target } from "./attack";
import { exchange } from "./raw";

/** Odd input that is legal: it must come back byte for byte, and do nothing else. */
export interface HarmlessCase {
	readonly name: string;
	/** What went wrong; undefined where nothing did. */
	run(): Promise<string | undefined>;
}

const NAMES: readonly [string, string][] = [
	["quotes", `"'\`"; drop table schedules; --`],
	["HTML", "<script>alert(1)</script>&amp;"],
	["a path", "../../etc/passwd"],
	["a template", "\u0024{7*7} {{7*7}} %s %n $(id)"],
	["a prototype key", "__proto__"],
	["a direction override", "abc\u202egnp.exe"],
	["emoji and combining characters", "👩‍🚀 e\u0301 \u{1f468}"],
	["half a surrogate pair", "a\ud800b"],
	["a line separator", "a\u2028b\u2029c"],
	["a zero-width space", "a\u200bb"],
	["white space around it", "  a  "],
	["1,000 characters", "n".repeat(1_000)],
];

export function harmlessCases(target: Target): HarmlessCase[] {
	return [
		...NAMES.map(([what, name]) => ({
			name: `a schedule whose name has ${what}`,
			run: () => scheduleComesBack(target, name),
		})),
		...["quote\"s'.py", "per%2fcent.py", "..x", "a;b=c", "données 数据.csv", "n".repeat(255)].map((name) => ({
			name: `a file named ${JSON.stringify(name.slice(0, 30))}`,
			run: () => fileComesBack(target, name),
		})),
		{ name: "variables with odd values", run: () => variablesComeBack(target) },
		{ name: "unknown fields, prototype keys among them", run: () => unknownFieldsAreIgnored(target) },
		{ name: "a hundred requests on one connection, written at once", run: () => pipelining(target) },
	];
}

async function call(target: Target, path: string, init: RequestInit = {}): Promise<unknown> {
	const response = await fetch(`${target.url}/api/datachain${path}`, {
		...init,
		headers: { ...init.headers, Authorization: `Bearer ${target.token}` },
		signal: AbortSignal.timeout(5_000),
	});
	const text = await response.text();
	if (response.status !== 200) throw new Error(`${response.status} ${text.slice(0, 200)}`);
	return JSON.parse(text);
}

const post = (target: Target, path: string, body: unknown): Promise<unknown> =>
	call(target, path, {
		method: "POST",
		headers: { "Content-Type": "application/json" },
		body: typeof body === "string" ? body : JSON.stringify(body),
	});

function at(value: unknown, ...keys: (string | number)[]): unknown {
	let found = value;
	for (const key of keys) {
		if (typeof found !== "object" || found === null) return undefined;
		found = Object.getOwnPropertyDescriptor(found, key)?.value;
	}
	return found;
}

const schedule = { pipeline_name: "nightly-images", cron_expression: "@daily" };

async function scheduleComesBack(target: Target, name: string): Promise<string | undefined> {
	const made = await post(target, "/pipeline/create-schedule", { ...schedule, schedule_name: name });
	const id = at(made, "schedule", "id");
	const read = await call(target, `/pipeline/schedule?schedule_id=${String(id)}`);
	const list = await call(target, "/pipeline/schedules");
	const listed = Array.isArray(list) ? list.find((one: unknown) => at(one, "id") === id) : undefined;
	for (const found of [
		at(made, "schedule", "schedule_name"),
		at(read, "schedule_name"),
		at(listed, "schedule_name"),
	]) {
		if (found !== name) return `it came back as ${JSON.stringify(found)?.slice(0, 80)}`;
	}
	return undefined;
}

async function fileComesBack(target: Target, name: string): Promise<string | undefined> {
	const form = new FormData();
	form.append("file", new Blob(["x"]), name);
	const found = at(await call(target, "/jobs/files", { method: "POST", body: form }), "filename");
	// A client writes a quote in a file name as %22, as browsers do; that is what the server was sent.
	const sent = name.replaceAll('"', "%22");
	return found === sent ? undefined : `it came back as ${JSON.stringify(found)?.slice(0, 80)}`;
}

async function variablesComeBack(target: Target): Promise<string | undefined> {
	const variables = {
		A: "x=y=z",
		B: "  spaces  ",
		C: "\"quotes' $HOME `id`",
		D: "\u2028\u0085\t",
		E: "",
		__F__: "#",
	};
	const lines = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
	const body = { pipeline_name: "nightly-images", environment: ["__proto__=polluted", ...lines].join("\n") };
	const found = at(await post(target, "/pipeline/settings", body), "pipeline", "environment_variables");
	for (const [name, value] of [...Object.entries(variables), ["__proto__", "polluted"]]) {
		if (at(found, name ?? "") !== value)
			return `${name} came back as ${JSON.stringify(at(found, name ?? ""))}`;
	}
	const count = Object.keys(found ?? {}).length;
	return count === 7 ? undefined : `${count} variables instead of 7`;
}

async function unknownFieldsAreIgnored(target: Target): Promise<string | undefined> {
	const extra = `"__proto__": {"read": true, "schedule_name": "polluted"}, "constructor": {"prototype": {"x": 1}}, "id": 99, "created_by": "admin"`;
	const text = `{"schedule_name": "plain", "pipeline_name": "nightly-images", "cron_expression": "@daily", ${extra}}`;
	const made = at(await post(target, "/pipeline/create-schedule", text), "schedule");
	if (at(made, "schedule_name") !== "plain" || at(made, "id") === 99)
		return "a field nobody knows had an effect";
	return at(made, "created_by", "username") === "developer" ? undefined : "the sender chose who made it";
}

async function pipelining(target: Target): Promise<string | undefined> {
	const one = `GET /api/datachain/clusters/ HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${target.token}\r\n\r\n`;
	const { replies } = await exchange(target.url, [one.repeat(100)], { quietMillis: 500 });
	return replies.length === 100 && replies.every(({ status }) => status === 200)
		? undefined
		: `${replies.length} replies`;
}
