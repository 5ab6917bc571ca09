import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Resource } from "../../bench/faults/rows/model/stack";
import { type Props, UNKNOWN } from "../../src/provider/handler";
import { ownProperties } from "../../src/provider/hosting";
import { checked, created, refusedBy, updated } from "../helpers/provider-harness";
import { asset } from "../helpers/provider-kinds";
import { diffOf, freshStack, stack, file as tempFile, world } from "../helpers/provider-scene";

const CONTENT = "print('größer')\n";
const WHO = { kind: "JobFile", name: "f" } as const;
const sha256 = (data: string) => createHash("sha256").update(data).digest("hex");
const file = (args: Props): Resource[] => [{ ...WHO, args }];

let path: string;
freshStack(() => {
	path = tempFile("prepare.py", CONTENT);
});

/** A web server of the user's, which has the content at every address but /missing. */
async function webServer() {
	const asked: string[] = [];
	const server = createServer((request, response) => {
		asked.push(`${request.url} ${request.headers.authorization ?? "without a token"}`);
		response.writeHead(request.url?.startsWith("/missing") ? 404 : 200).end(CONTENT);
	}).listen(0, "127.0.0.1");
	await new Promise((resolve) => server.once("listening", resolve));
	onTestFinished(() => {
		server.closeAllConnections();
		server.close();
	});
	const address = server.address();
	if (address === null || typeof address === "string") throw new Error("The server has no port.");
	return { url: `http://127.0.0.1:${address.port}`, asked };
}

describe("a path that cannot be read", () => {
	const reasons = (kind: "JobFile" | "Job", inputs: Props) =>
		refusedBy(world.process({ preview: true }), { kind, name: "f" }, inputs);

	it("is reported at preview with the folder that it is relative to", async () => {
		const from = `The path is relative to ${process.cwd()}.`;
		const text = `cannot read "./nope.py": there is no such file (ENOENT). ${from} Check the file and its path.`;
		expect(await reasons("JobFile", { source: "./nope.py" })).toEqual([`source: ${text}`]);
		expect(await reasons("Job", { file: "./nope.py" })).toEqual([`file: ${text}`]);
	});

	it("and is absolute is reported as it is", async () => {
		const source = join(dirname(path), "nope.py");
		expect(await reasons("JobFile", { source })).toEqual([
			`source: cannot read ${JSON.stringify(source)}: there is no such file (ENOENT). Check the file and its path.`,
		]);
		expect(await reasons("JobFile", { source: dirname(path) })).toEqual([
			expect.stringMatching(/^source: cannot read ".*": it is a directory and not a regular file\. Check/),
		]);
	});
});

describe("a job file", () => {
	it("whose bytes change is not uploaded again where changes of them are ignored, unless it gets another name", async () => {
		await stack.up(file({ source: path }));
		writeFileSync(path, "print('other')\n");
		// The engine hands back what the state has for an input that is ignored.
		const ignored = { source: path, contentHash: stack.entry("f").inputs.contentHash };
		expect((await stack.up(file(ignored))).steps).toEqual(["same f"]);
		expect(await stack.up(file({ ...ignored, name: "other.py" }))).toMatchObject({
			steps: ["replace f"],
			failures: [],
		});
		expect((await stack.up(file({ source: path, name: "other.py" }))).steps).toEqual(["same f"]);
	});

	it.each<[string, () => Props, string]>([
		["a path", () => ({ source: path }), "prepare.py"],
		["a path and a name", () => ({ source: path, name: "other.py" }), "other.py"],
		["an asset with a path", () => ({ source: asset({ path }) }), "prepare.py"],
		[
			"an asset with a file's address",
			() => ({ source: asset({ uri: pathToFileURL(path).href }) }),
			"prepare.py",
		],
		["an asset with a text", () => ({ source: asset({ text: CONTENT }), name: "a.py" }), "a.py"],
		["a text", () => ({ text: CONTENT, name: "a.py" }), "a.py"],
	])("is uploaded from %s", async (_, inputs, filename) => {
		expect((await stack.up(file(inputs()))).failures).toEqual([]);
		expect(stack.entry("f").outs).toMatchObject({
			...inputs(),
			name: filename,
			filename,
			teamName: "ml",
			contentHash: sha256(CONTENT),
			size: Buffer.byteLength(CONTENT),
			fileId: stack.ids().f,
			state: expect.any(String),
			serviceUrl: expect.stringMatching(/^http:/),
		});
		expect((await stack.up(file(inputs()))).steps).toEqual(["same f"]);
		expect(world.writes()).toEqual(["uploadFile"]);
	});

	it("is uploaded from an address, without our token, and named after it", async () => {
		const { url, asked } = await webServer();
		const source = asset({ uri: `${url}/files/prepare.py?signature=sesame` });
		expect((await stack.up(file({ source }))).failures).toEqual([]);
		expect(stack.entry("f").outs).toMatchObject({ name: "prepare.py", contentHash: sha256(CONTENT) });
		expect(new Set(asked)).toEqual(new Set(["/files/prepare.py?signature=sesame without a token"]));
	});

	it("at an address is asked for only when it is uploaded where the engine tells its hash", async () => {
		const { url, asked } = await webServer();
		const source = asset({ uri: `${url}/prepare.py`, hash: sha256(CONTENT) });
		expect((await stack.preview(file({ source }))).failures).toEqual([]);
		expect(asked).toEqual([]);
		expect((await stack.up(file({ source }))).failures).toEqual([]);
		expect(asked).toHaveLength(1);
	});

	it("is made before the old one is forgotten", async () => {
		await stack.up(file({ text: CONTENT, name: "a.py" }));
		const replaced = { changes: true, replaces: ["name"], deleteBeforeReplace: false };
		expect(await diffOf("f", { name: "b.py" })).toEqual(replaced);
	});

	it("keeps its outputs in an update, and only the inputs that are still declared", async () => {
		await stack.up(file({ source: path, name: "a.py" }));
		const entry = stack.entry("f");
		const { source: _, ...inputs } = entry.inputs;
		const { outs } = await updated(world.process(), entry, { ...inputs, text: CONTENT, name: "a.py" });
		const { source: __, ...kept } = entry.outs;
		expect(outs).toEqual({ ...kept, text: CONTENT });
	});

	it("that is deployed in a team of its own goes there", async () => {
		world.server.addTeam("other", {});
		expect((await stack.up(file({ text: CONTENT, name: "a.py", teamName: "other" }))).failures).toEqual([]);
		expect(world.server.requests.entries.at(-1)).toMatchObject({
			endpoint: "uploadFile",
			query: expect.stringContaining("team_name=other"),
		});
	});

	it("of whose state the service says nothing is deployed", async () => {
		world.fault({ kind: "rewrite", endpoint: "uploadFile", remove: ["state"] });
		expect((await stack.up(file({ source: path }))).failures).toEqual([]);
	});

	it("that only looks like a path is a text where no such file is", async () => {
		expect((await stack.up(file({ text: "no/such/file.py", name: "a.txt" }))).failures).toEqual([]);
	});

	it("whose content is not known yet has no name and no hash in the preview, unless it is given one", async () => {
		const check = (inputs: Props) => checked(world.process({ preview: true }), WHO, inputs);
		expect(await check({ source: UNKNOWN })).toMatchObject({ name: UNKNOWN, contentHash: UNKNOWN });
		expect(await check({ text: UNKNOWN, name: "a.py" })).toMatchObject({
			name: "a.py",
			contentHash: UNKNOWN,
		});
		expect(await check({ source: asset({ text: UNKNOWN }) })).toMatchObject({ contentHash: UNKNOWN });
	});

	it("has no outputs in the preview of its first deployment", async () => {
		const inputs = await checked(world.process({ preview: true }), WHO, { text: CONTENT, name: "a.py" });
		const shown = Object.keys(ownProperties(inputs)).sort();
		expect(shown).toEqual(["contentHash", "name", "teamName", "text"]);
	});
});

describe("a job file is refused", () => {
	it("where its address answers with an error, or not at all, without what may be secret in it", async () => {
		const { url } = await webServer();
		const refused = (uri: string) => refusedBy(world.process(), WHO, { source: asset({ uri }) });
		const secret = "?signature=sesame";
		expect(await refused(`${url.replace("//", "//ada:hunter2@")}/a.py${secret}`)).toEqual([
			expect.stringMatching(/^source: Could not download http:\/\/127\.0\.0\.1:\d+\/a\.py: /),
		]);
		expect(await refused(`${url}/missing.py${secret}`)).toEqual([
			`source: Could not download ${url}/missing.py: the server answered 404.`,
		]);
		expect(await refused(`http://127.0.0.1:9/a.py${secret}`)).toEqual([
			expect.stringMatching(/^source: Could not download http:\/\/127\.0\.0\.1:9\/a\.py: .+\.$/),
		]);
	});

	it("where it changed between the check and the upload", async () => {
		const process = world.process();
		const inputs = await checked(process, WHO, { source: path });
		writeFileSync(path, "print('another')");
		await expect(created(process, WHO, inputs)).rejects.toThrow(
			'File "prepare.py" changed while it was being deployed. Run "pulumi up" again to upload what is there now.',
		);
	});

	it.each([
		["says that it failed", { set: { error: "disk full", state: "UPLOADED" } }, "UPLOADED"],
		["has it in the state failed", { set: { state: "Failed", error: null } }, "Failed"],
		["says only that it failed", { set: { error: "disk full" }, remove: ["state"] }, "unknown"],
	])("where the service %s", async (_, change, state) => {
		world.fault({ kind: "rewrite", endpoint: "uploadFile", ...change });
		expect((await stack.up(file({ source: path }))).failures).toEqual([
			`f: The service could not store file "prepare.py" in team "ml" (state "${state}"). Check the file and run "pulumi up" again.`,
		]);
		expect(stack.entries).toEqual([]);
	});
});

it("ends an upload when the user interrupts the deployment", async () => {
	const interrupting = new AbortController();
	const process = world.process({ interrupt: interrupting.signal });
	const inputs = await checked(process, WHO, { text: CONTENT, name: "a.py" });
	world.fault({ kind: "delay", ms: 20_000, endpoint: "uploadFile" });
	const failed = expect(created(process, WHO, inputs)).rejects.toThrow("it was cancelled");
	await vi.waitFor(() => expect(world.server.requests.inFlight).toBe(1));
	interrupting.abort();
	await failed;
});
