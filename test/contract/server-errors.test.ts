import { connect } from "node:net";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { endpoints } from "../../src/schemas/endpoints";
import { bearer, send, testServer } from "../helpers/server-harness";

const message = { message: expect.stringMatching(/.+/) };
const job = { query: "print(1)", query_type: "PYTHON" };

/** Sends bytes as they are, and then one more now and again; what a well-behaved HTTP client would never send. */
function sendRaw(url: string, bytes: string, waitMillis = 5_000, drip = ""): Promise<string> {
	return new Promise((resolve, reject) => {
		const { hostname, port } = new URL(url);
		const socket = connect(Number(port), hostname, () => socket.write(bytes));
		const dripping = setInterval(() => drip !== "" && socket.writable && socket.write(drip), 20);
		socket.on("close", () => clearInterval(dripping));
		let reply = "";
		socket.setTimeout(waitMillis, () => socket.destroy());
		socket.on("data", (chunk) => {
			reply += chunk;
		});
		socket.on("error", reject);
		socket.on("close", () => resolve(reply));
	});
}

describe("a request that cannot be served", () => {
	it.each<[string, string, unknown, number, RegExp]>([
		["malformed JSON", "/jobs/", '{"query": ', 400, /not valid JSON/],
		["a hundred thousand open brackets", "/jobs/", "[".repeat(100_000), 400, /not valid JSON/],
		["everything behind __proto__", "/jobs/", `{"__proto__": ${JSON.stringify(job)}}`, 400, /is missing/],
		["an array for an object", "/jobs/", "[1]", 400, /JSON object/],
		["a string for an object", "/jobs/", '"x"', 400, /JSON object/],
		["a missing field", "/jobs/", { query: "x" }, 400, /query_type: is missing/],
		["a null required field", "/jobs/", { query: null, query_type: "PYTHON" }, 400, /query: is missing/],
		["a wrong type", "/jobs/", { ...job, workers: "two" }, 400, /workers: .*expected/],
		["a wrong choice", "/jobs/", { ...job, query_type: "RUBY" }, 400, /query_type/],
		["a priority out of range", "/jobs/", { ...job, priority: 9 }, 400, /priority/],
		[
			"an unsafe integer",
			"/pipeline/delete-schedule",
			'{"schedule_id": 9007199254740993}',
			400,
			/schedule_id/,
		],
		[
			"both cluster selectors",
			"/jobs/",
			{ ...job, compute_cluster_name: "gpu", compute_cluster_id: 2 },
			400,
			/not both/,
		],
		["an unknown cluster", "/jobs/", { ...job, compute_cluster_id: 99 }, 404, /compute cluster 99/],
		["an unknown file", "/jobs/", { ...job, files: ["77"] }, 404, /no uploaded file "77"/],
		[
			"an invalid cron",
			"/jobs/",
			{ ...job, cron_expression: "61 * * * *" },
			400,
			/minute "61" is out of range/,
		],
		[
			"a cron of many kilobytes",
			"/jobs/",
			{ ...job, cron_expression: `${"1,".repeat(5_000)}1 * * * *` },
			400,
			/^.{0,200}1000 are the most/,
		],
		[
			"a NUL in a variable",
			"/jobs/",
			{ ...job, environment: "A=1\u0000B=2" },
			400,
			/^environment: the value of A/,
		],
		[
			"a variable whose value Python would break in two",
			"/jobs/",
			{ ...job, environment: "A=1\u2028rest" },
			400,
			/^environment: line 2 does not have the form/,
		],
		["an impossible date", "/jobs/", { ...job, cron_expression: "0 0 31 2 *" }, 400, /never comes/],
		["an invalid time", "/jobs/", { ...job, start_after: "tomorrow" }, 400, /start_after/],
		["an environment that is not lines", "/jobs/", { ...job, environment: "nonsense" }, 400, /environment/],
		["a control character in a name", "/jobs/", { ...job, query_name: "a\u001b[31m" }, 400, /query_name/],
		["a control character in a team", "/jobs/", { ...job, team_name: "a\n" }, 400, /team_name/],
		["no datasets", "/pipeline/trigger", { datasets: [] }, 400, /datasets/],
		["an unknown dataset", "/pipeline/trigger", { datasets: ["dev.images.nope"] }, 404, /no dataset/],
		["an unknown version", "/pipeline/trigger", { datasets: ["dev.images.raw@9.9.9"] }, 404, /It has: 1.0.0/],
		["no pipeline named", "/pipeline/pause", {}, 400, /name or its pipeline_id/],
		["an unknown pipeline", "/pipeline/resume", { name: "nope" }, 404, /no pipeline "nope"/],
		["settings of an unknown pipeline", "/pipeline/settings", { pipeline_name: "nope" }, 404, /no pipeline/],
		["an unknown schedule", "/pipeline/update-schedule", { schedule_id: 999 }, 404, /id 999/],
		[
			"a schedule without a time",
			"/pipeline/create-schedule",
			{ schedule_name: "s", pipeline_name: "nightly-images" },
			400,
			/cron_expression, start_after/,
		],
		[
			"a name of a megabyte",
			"/pipeline/create-schedule",
			{ schedule_name: "n".repeat(1_000_000), pipeline_name: "nightly-images", cron_expression: "@daily" },
			400,
			/^schedule_name/,
		],
		[
			"a schedule of an unknown pipeline",
			"/pipeline/create-schedule",
			{ schedule_name: "s", pipeline_name: "nope", cron_expression: "@daily" },
			404,
			/no pipeline/,
		],
		["an unknown job", "/jobs/00000000-0000-0000-0000-000000000000/cancel", {}, 404, /no job/],
	])("because of %s is told so in one message", async (_, path, body, status, text) => {
		const { api } = await testServer();
		const reply = await api.post(path, body);
		expect(reply.json).toEqual({ message: expect.stringMatching(text) });
		expect(reply.status).toBe(status);
	});

	it("because of invalid UTF-8 is told so, not read with replaced characters", async () => {
		const { url, token } = await testServer();
		const body = Buffer.concat([
			Buffer.from('{"query":"'),
			Buffer.from([0xff]),
			Buffer.from('","query_type":"PYTHON"}'),
		]);
		const reply = await send(`${url}/api/datachain/jobs/`, { method: "POST", headers: bearer(token), body });
		expect(reply).toMatchObject({ status: 400, json: { message: "The body is not valid JSON." } });
	});

	it("leaves no trace: nothing is half done", async () => {
		const { api } = await testServer();
		const before = (await api.get("/pipeline/schedule?schedule_id=1")).json;
		await api.post("/pipeline/update-schedule", {
			schedule_id: 1,
			schedule_name: "x",
			pause_pipeline: true,
			cron_expression: "bad",
		});
		expect((await api.get("/pipeline/schedule?schedule_id=1")).json).toEqual(before);
	});

	it("is answered with a message on unknown paths, wrong slashes and wrong methods", async () => {
		const { url, token } = await testServer();
		for (const path of [
			"/nope",
			"/api",
			"/api/datachain/jobs",
			"/api/datachain/pipeline/list/",
			"/api/datachain/nope",
		]) {
			expect(await send(`${url}${path}`, { headers: bearer(token) })).toMatchObject({
				status: 404,
				json: message,
			});
		}
		for (const { path } of Object.values(endpoints)) {
			for (const method of ["DELETE", "OPTIONS"]) {
				const headers = { ...bearer(token), Origin: "https://evil.example" };
				const reply = await send(`${url}/api${path.replace("{job_id}", "x")}`, { method, headers });
				expect(reply).toMatchObject({ status: 405, json: message });
				expect(reply.headers.get("allow")).toMatch(/^(GET|POST)(, POST)?$/);
				expect([...reply.headers.keys()].join()).not.toContain("access-control");
			}
		}
	});

	it("with a body over the limit gets 413, announced or not, and the server goes on", async () => {
		const { url, token, api } = await testServer();
		const large = JSON.stringify({ ...job, query: "x".repeat(1_100_000) });
		expect(await api.post("/jobs/", large)).toMatchObject({ status: 413, json: message });
		const head = `POST /api/datachain/jobs/ HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n`;
		const chunk = `10000\r\n${"x".repeat(0x10000)}\r\n`;
		expect(await sendRaw(url, `${head}Transfer-Encoding: chunked\r\n\r\n${chunk.repeat(20)}`)).toContain(
			" 413 ",
		);
		expect((await api.get("/clusters/")).status).toBe(200);
	});

	it("whose body never comes is given up", async () => {
		const { url, token } = await testServer({ bodyTimeoutMillis: 100 });
		const reply = await sendRaw(
			url,
			`POST /api/datachain/jobs/ HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\nContent-Length: 50\r\n\r\n{`,
		);
		expect(reply).toContain(" 408 ");
		expect(reply).toContain('{"message":');
	});

	it.each(["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=XX"])(
		"because its JSON says that it is %s gets 415",
		async (type) => {
			const { url, token } = await testServer();
			const reply = await send(`${url}/api/datachain/jobs/`, {
				method: "POST",
				headers: { ...bearer(token), "Content-Type": type },
				body: JSON.stringify(job),
			});
			expect(reply).toMatchObject({
				status: 415,
				json: { message: expect.stringContaining("application/json") },
			});
		},
	);

	it("because of its Host, its two tokens, its many headers, its expectation or CONNECT is told so in a message", async () => {
		const { url, token } = await testServer();
		const start = "GET /api/openapi.json HTTP/1.1\r\nConnection: close\r\n";
		const wrong: [string, number][] = [
			[`${start}\r\n`, 400],
			[`${start}Host: x\r\nHost: y\r\n\r\n`, 400],
			[`${start}Host: x\r\n${"X: y\r\n".repeat(500)}\r\n`, 431],
			[`GET /${"a".repeat(100_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431],
			[`${start}Host: x\r\nExpect: a-miracle\r\n\r\n`, 417],
			["CONNECT x:22 HTTP/1.1\r\nHost: x\r\n\r\n", 405],
			[
				`GET /api/datachain/clusters/ HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer none\r\nAuthorization: Bearer ${token}\r\n\r\n`,
				401,
			],
		];
		for (const [bytes, status] of wrong) {
			const reply = await sendRaw(url, bytes, 1_000);
			expect(reply).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
			expect(reply).toContain('{"message":');
		}
	});

	it("whose headers never end is given up", async () => {
		const { url } = await testServer({ bodyTimeoutMillis: 100 });
		const reply = await sendRaw(url, "GET / HTTP/1.1\r\nHost: x\r\n");
		expect(reply).toMatch(/^HTTP\/1.1 408 /);
		expect(reply).toContain('{"message":');
	});

	it.each([
		["headers", "GET / HTTP/1.1\r\nHost: x\r\nX: ", "y"],
		[
			"a body",
			"POST /api/datachain/jobs/ HTTP/1.1\r\nHost: x\r\nAuthorization: @\r\nContent-Length: 500\r\n\r\n",
			"{",
		],
		[
			"chunks",
			"POST /api/datachain/jobs/ HTTP/1.1\r\nHost: x\r\nAuthorization: @\r\nTransfer-Encoding: chunked\r\n\r\n",
			"1\r\n{\r\n",
		],
	])("with %s of one character at a time is given up", async (_, head, drip) => {
		const { url, token } = await testServer({ bodyTimeoutMillis: 200 });
		const reply = await sendRaw(url, head.replace("@", `Bearer ${token}`), 5_000, drip);
		expect(reply).toMatch(/^HTTP\/1.1 408 /);
		expect(reply).toContain('{"message":');
	});

	it("is answered with a message even where it is no HTTP", async () => {
		const { url, api } = await testServer();
		for (const bytes of [
			"nonsense\r\n\r\n",
			"GET / HTTP/1.1\r\nHost: a b\r\n\r\n",
			"GET /\\..\\x HTTP/1.1\r\nHost: x\r\n\r\n",
			`GET / HTTP/1.1\r\nX: ${"y".repeat(40_000)}\r\n\r\n`,
		]) {
			const reply = await sendRaw(url, bytes, 1_000);
			expect(reply).toMatch(/^HTTP\/1.1 4\d\d /);
			expect(reply).toContain('{"message":');
		}
		expect((await api.get("/clusters/")).status).toBe(200);
	});
});

describe("hostile input", () => {
	it("with prototype keys and deep nesting is harmless", async () => {
		const { api } = await testServer();
		const body = `{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"query":"x","query_type":"PYTHON","environment":"__proto__=1\\nconstructor=2"}`;
		const made = await api.post("/jobs/", body);
		expect(made.status).toBe(200);
		expect(Object.hasOwn({}, "polluted")).toBe(false);
		expect(made.text).toContain('"environment":{"__proto__":"1","constructor":"2"}');
		const deep = `{"query":"x","query_type":"PYTHON","x":${"[".repeat(300_000)}${"]".repeat(300_000)}}`;
		expect((await api.post("/jobs/", deep)).status).toBeLessThan(500);
	});

	it("in paths and queries never makes the server fail", async () => {
		const log: string[] = [];
		const { url, token } = await testServer({ log: (line) => log.push(line) });
		const teams = ["VISION", "vision ", "vision\u0000", "*", "../vision", "__proto__"];
		const paths = [
			...teams.map((team) => `/api/datachain/clusters/?team_name=${encodeURIComponent(team)}`),
			"/api/datachain/%2e%2e/%2e%2e/etc/passwd",
			"/api/datachain/..%2f_blobs%2f..%2fetc",
			"/api/datachain/jobs/a%0d%0aX-Injected:%201/logs",
			"/api/datachain/jobs/%ff%fe/logs",
			"/api/datachain/jobs/__proto__/logs",
			"/api/datachain/jobs/%E0%A4%A/logs",
			"/api/datachain/jobs/..%2f..%2fetc%2fpasswd/logs",
			"/api/datachain/jobs/%00/logs",
			"/api/datachain/pipeline/schedule?schedule_id=1e3",
			"/api/datachain/pipeline/schedule?schedule_id=99999999999999999999",
			"/api/datachain/pipeline/schedule",
			"/api/datachain/pipeline/list?limit=-1",
			"/api/datachain/pipeline/list?limit=x&status=&status=%00",
			"/api/datachain/jobs/?include_steps=maybe",
			"/api/datachain/clusters/?team_name=%0d%0aSet-Cookie:x",
			"/api/_blobs/__proto__",
		];
		for (const path of paths) {
			const reply = await send(`${url}${path}`, { headers: bearer(token) });
			expect(reply.status, path).toBeGreaterThanOrEqual(400);
			expect(reply.status, path).toBeLessThan(500);
			expect(reply.json, path).toEqual(message);
			expect(reply.headers.get("set-cookie")).toBeNull();
		}
		expect(log.filter((line) => /^error:|^\s+at |\p{Cc}/u.test(line))).toEqual([]);
	});

	it("in a GET's body is not even read", async () => {
		const { url, token } = await testServer();
		const reply = await sendRaw(
			url,
			`GET /api/datachain/pipeline/list HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\nContent-Type: application/json\r\nContent-Length: 3\r\n\r\n{[}`,
		);
		expect(reply).toMatch(/^HTTP\/1.1 200 /);
	});

	it("of any shape in any field is answered, never with a failure of the server", async () => {
		const { api, clock } = await testServer({ jobStepMillis: 5 });
		const known = fc.constantFrom<unknown>(
			"nightly-images",
			"dev.images.raw",
			1,
			"@daily",
			"0 0 29 2 *",
			"A=1",
			"PYTHON",
			["1"],
			true,
			null,
			"2026-01-01",
			"9999-12-31T23:59:59Z",
			"0001-01-01",
		);
		const posts = Object.values(endpoints).filter((one) => one.method === "POST" && !("bodyType" in one));
		await fc.assert(
			fc.asyncProperty(
				fc.constantFrom(...posts).chain((endpoint) =>
					fc.tuple(
						fc.constant(endpoint),
						fc.record(
							Object.fromEntries(
								Object.keys(endpoint.body ?? {})
									.filter((key) => key !== "team_name")
									.map((key) => [
										key,
										fc.oneof({ weight: 3, arbitrary: known }, { weight: 1, arbitrary: fc.jsonValue() }),
									]),
							),
							{ requiredKeys: [] },
						),
					),
				),
				async ([endpoint, body]) => {
					const reply = await api.post(
						endpoint.path.replace("/datachain", "").replace("{job_id}", "x"),
						body,
					);
					expect(reply.status, `${endpoint.path} ${JSON.stringify(body)} ${reply.text}`).toBeLessThan(500);
					if (reply.status >= 400) expect(reply.json).toEqual(message);
					clock.advance(10);
				},
			),
			{ numRuns: 400 },
		);
		for (const path of ["/jobs/?limit=1000", "/pipeline/list?limit=1000", "/pipeline/schedules"]) {
			expect((await api.get(path)).status).toBe(200);
		}
	});
});
