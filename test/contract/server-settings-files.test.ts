import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { LocalServer } from "../../src/server";
import { bearer, type Reply, send, testServer } from "../helpers/server-harness";

const settings = (api: { post(path: string, body: unknown): Promise<Reply> }, values: object) =>
	api.post("/pipeline/settings", { pipeline_name: "nightly-images", team_name: "vision", ...values });

describe("pipeline settings", () => {
	it("change only where they are given, and an empty value is a value", async () => {
		const { api } = await testServer();
		const before = (await api.get("/pipeline/status?name=nightly-images")).json as object;
		const first = await settings(api, { workers: 7, requirements: null });
		expect(first.at("pipeline")).toMatchObject({ ...before, workers: 7, updated_at: expect.any(String) });
		const second = await settings(api, { requirements: "", python_version: "", priority: 0 });
		expect(second.at("pipeline")).toMatchObject({
			requirements: "",
			python_version: "",
			priority: 0,
			workers: 7,
		});
		expect((await api.get("/pipeline/status?name=nightly-images")).json).toEqual(second.at("pipeline"));
	});

	it("replace all variables with the given ones", async () => {
		const { api } = await testServer();
		const given = await settings(api, { environment: "A=1\nB=x=y z\n\n# note\nB=2" });
		expect(given.at("pipeline.environment_variables")).toEqual({ A: "1", B: "2" });
		expect((await settings(api, { environment: "" })).at("pipeline.environment_variables")).toEqual({});
	});

	it("break lines of variables where Python does, and nowhere else", async () => {
		const { api } = await testServer();
		const ends = ["\n", "\r\n", "\r", "\v", "\f", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"];
		for (const end of ends) {
			const split = await settings(api, { environment: `A=1${end}B=2` });
			expect(split.at("pipeline.environment_variables"), JSON.stringify(end)).toEqual({ A: "1", B: "2" });
		}
		// Not the end of a line in Python, though some would take them for blanks or breaks.
		for (const other of ["\x1f", "\u00a0", "\u200b", "\t"]) {
			const whole = await settings(api, { environment: `A=1${other}B=2` });
			expect(whole.at("pipeline.environment_variables"), JSON.stringify(other)).toEqual({
				A: `1${other}B=2`,
			});
		}
	});

	it("keep a variable's name as it is, also one that no shell takes", async () => {
		const { api } = await testServer();
		const odd = await settings(api, { environment: "my-var=1\n9x= 2 \n Ä=3" });
		expect(odd.at("pipeline.environment_variables")).toEqual({ "my-var": "1", "9x": " 2 ", " Ä": "3" });
	});

	it("keep files and credentials to themselves", async () => {
		const server = await testServer();
		const id = (await upload(server, "a.txt", "x")).at("id");
		const reply = await settings(server.api, { files: [String(id)], credentials_names: ["secret-set"] });
		expect(reply.status).toBe(200);
		expect(reply.text).not.toContain("secret-set");
		expect((await settings(server.api, { files: ["999"] })).status).toBe(404);
	});

	it("reach the jobs that start afterwards", async () => {
		const { api, clock } = await testServer();
		await settings(api, { environment: "STAGE=prod", workers: 5, python_version: "3.13" });
		const body = { schedule_name: "s", pipeline_name: "nightly-images", start_after: "2026-01-01T01:00:00Z" };
		await api.post("/pipeline/create-schedule", body);
		clock.set("2026-01-01T01:00:00Z");
		const { json } = await api.get("/jobs/?status=created");
		expect(json).toMatchObject([{ environment: { STAGE: "prod" }, workers: 5, python_version: "3.13" }]);
	});

	it("with a wrong variable are refused without repeating its value", async () => {
		const { api } = await testServer();
		const reply = await settings(api, { environment: "GOOD=1\nhunter2-secret" });
		expect(reply.status).toBe(400);
		expect(reply.textAt("message")).toMatch(/^environment: /);
		expect(reply.text).not.toContain("hunter2-secret");
	});
});

function upload(server: LocalServer, filename: string, content: string): Promise<Reply> {
	const form = new FormData();
	form.append("file", new Blob([content]), filename);
	const url = `${server.url}/api/datachain/jobs/files?team_name=vision`;
	return send(url, { method: "POST", headers: { Authorization: `token ${server.token}` }, body: form });
}

/** A multipart body written by hand, for what FormData would never send. */
function uploadRaw(
	server: LocalServer,
	body: string,
	type = "multipart/form-data; boundary=XX",
): Promise<Reply> {
	const url = `${server.url}/api/datachain/jobs/files?team_name=vision`;
	return send(url, { method: "POST", headers: { ...bearer(server.token), "Content-Type": type }, body });
}

const part = (disposition: string, content = "x") =>
	`--XX\r\nContent-Disposition: form-data; ${disposition}\r\nContent-Type: application/octet-stream\r\n\r\n${content}\r\n`;

describe("an upload", () => {
	it("is answered with a new number, the name and the size", async () => {
		const server = await testServer();
		const first = await upload(server, "data.csv", "a,b\n");
		expect(first.json).toEqual({
			id: expect.any(Number),
			filename: "data.csv",
			size: 4,
			state: "pending",
			error: null,
		});
		expect((await upload(server, "data.csv", "a,b\n")).at("id")).not.toBe(first.at("id"));
		const job = { query: "x", query_type: "PYTHON", files: [String(first.at("id"))] };
		expect((await server.api.post("/jobs/", job)).status).toBe(200);
	});

	it("is remembered by its hash, and its content is not kept", async () => {
		const folder = mkdtempSync(join(tmpdir(), "server-upload-"));
		onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
		const dataFile = join(folder, "team.json");
		const server = await testServer({ dataFile });
		await upload(server, "data.csv", "the content itself\n".repeat(5_000));
		const saved = readFileSync(dataFile, "utf8");
		const sha256 = createHash("sha256").update("the content itself\n".repeat(5_000)).digest("hex");
		expect(saved).toContain(`"filename":"data.csv","size":95000,"sha256":"${sha256}"`);
		expect(saved).not.toContain("the content itself");
	});

	it("takes an empty file and a name beyond ASCII", async () => {
		const server = await testServer();
		expect((await upload(server, "données 数据.csv", "")).json).toMatchObject({
			filename: "données 数据.csv",
			size: 0,
		});
	});

	it.each([
		["a folder in its name", part('name="file"; filename="../../etc/passwd"')],
		["a Windows folder in its name", part('name="file"; filename="c:\\\\x\\\\y"')],
		["a path from the root in its name", part('name="file"; filename="/etc/passwd"')],
		["dots and slashes in its name", part('name="file"; filename="....//x"')],
		["an encoded path for a name", part("name=\"file\"; filename*=UTF-8''..%2Fx")],
		["a dot for a name", part('name="file"; filename="."')],
		["a NUL in its name", part('name="file"; filename="a\u0000.py"')],
		["two names, one a path", part('name="file"; filename="a"; filename="../b"')],
		["dots for a name", part('name="file"; filename=".."')],
		["a control character in its name", part('name="file"; filename="a\u0007b"')],
		["no name", part('name="file"; filename=""')],
		["another part's name", part('name="other"; filename="a"')],
		["two files", part('name="file"; filename="a"') + part('name="file"; filename="b"')],
		["a line break in its name", part('name="file"; filename="a\r\nX-Injected: 1"')],
		["two names", part('name="file"; filename="a"; filename="b"')],
		["a second name beside the plain one", part('name="file"; filename="a"; filename*=UTF-8\'\'b')],
		["a name that never ends", part('name="file"; filename="a')],
		["a text beside the file", part('name="file"; filename="a"') + part('name="file"')],
		["a part header of many kilobytes", part(`name="file"; filename="a"\r\nX: ${"y".repeat(20_000)}`)],
		["ten thousand parts", part('name="t"').repeat(10_000) + part('name="file"; filename="a"')],
		["no file at all", part('name="note"').replace("Content-Type: application/octet-stream\r\n", "")],
	])("with %s is refused", async (_, body) => {
		const server = await testServer();
		const reply = await uploadRaw(server, `${body}--XX--\r\n`);
		expect(reply).toMatchObject({ status: 400, json: { message: expect.any(String) } });
		expect((await server.api.get("/clusters/")).status).toBe(200);
	});

	it("that is not well-formed is refused", async () => {
		const server = await testServer();
		expect((await uploadRaw(server, part('name="file"; filename="a"'))).status).toBe(400);
		expect((await uploadRaw(server, "no parts here")).status).toBe(400);
		expect((await uploadRaw(server, "{}", "application/json")).status).toBe(400);
		expect((await uploadRaw(server, "x", "multipart/form-data")).status).toBe(400);
		expect((await uploadRaw(server, "", "multipart/form-data; boundary=XX")).status).toBe(400);
	});

	it("over the limit gets 413", async () => {
		const server = await testServer({ maxUploadBytes: 1_000 });
		expect(await upload(server, "big", "x".repeat(200_000))).toMatchObject({
			status: 413,
			json: { message: expect.any(String) },
		});
		expect((await upload(server, "small", "x".repeat(1_000))).status).toBe(200);
	});

	it("of many megabytes passes through without staying in memory", async () => {
		const server = await testServer();
		const piece = Buffer.alloc(1024 * 1024, "z");
		const pieces = 192;
		const before = process.memoryUsage().arrayBuffers;
		let peak = 0;
		const reply = await new Promise<string>((resolve, reject) => {
			const call = request(`${server.url}/api/datachain/jobs/files`, {
				method: "POST",
				headers: { ...bearer(server.token), "Content-Type": "multipart/form-data; boundary=XX" },
			});
			call.on("error", reject).on("response", (response) => {
				let text = "";
				response.on("data", (chunk) => {
					text += chunk;
				});
				response.on("end", () => resolve(text));
			});
			const writeAll = async (): Promise<void> => {
				call.write('--XX\r\nContent-Disposition: form-data; name="file"; filename="big.bin"\r\n\r\n');
				for (let i = 0; i < pieces; i++) {
					if (!call.write(piece)) await new Promise((drained) => call.once("drain", drained));
					peak = Math.max(peak, process.memoryUsage().arrayBuffers);
				}
				call.end("\r\n--XX--\r\n");
			};
			writeAll().catch(reject);
		});
		expect(JSON.parse(reply)).toMatchObject({ filename: "big.bin", size: pieces * piece.length });
		expect(peak - before).toBeLessThan(96 * 1024 * 1024);
	});

	it("with a wrong token or team is refused without reading it to its end", async () => {
		const server = await testServer();
		const form = new FormData();
		form.append("file", new Blob([Buffer.alloc(30 * 1024 * 1024)]), "big");
		for (const [query, token, status] of [
			["", "wrong-token", 401],
			["?team_name=x", server.token, 403],
		] as const) {
			const url = `${server.url}/api/datachain/jobs/files${query}`;
			const reply = await send(url, { method: "POST", headers: bearer(token), body: form });
			expect(reply.status).toBe(status);
		}
		expect((await server.api.get("/clusters/")).status).toBe(200);
		expect((await upload(server, "a", "x")).at("id")).toBe(1);
	});

	it("that stops arriving is given up", async () => {
		const server = await testServer({ bodyTimeoutMillis: 100 });
		const status = await new Promise<number | undefined>((resolve, reject) => {
			const call = request(`${server.url}/api/datachain/jobs/files`, {
				method: "POST",
				headers: { ...bearer(server.token), "Content-Type": "multipart/form-data; boundary=XX" },
			});
			call.on("error", reject).on("response", (response) => {
				resolve(response.statusCode);
				response.destroy();
			});
			call.write(part('name="file"; filename="a"'));
		});
		expect(status).toBe(408);
	});
});
