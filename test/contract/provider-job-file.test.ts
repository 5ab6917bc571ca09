import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { Props } from "../../src/provider/model/props";
import { startRawServer } from "../helpers/api-servers";
import { asset } from "../helpers/provider-kinds";
import { freshStack, jobFile, stack, world } from "../helpers/provider-scene";
import { testFile } from "../helpers/test-folder";

const CONTENT = "print('größer')\n";
const WHO = { kind: "JobFile", name: "f" } as const;
const sha256 = (data: string) => createHash("sha256").update(data).digest("hex");
const file = (args: Props) => [jobFile("f", args)];

let path: string;
freshStack(() => {
	path = testFile("prepare.py", CONTENT);
});

/** A web server of the user's, which has the content at every address but /missing, breaks off at /broken, and is silent at /slow. */
function webServer() {
	return startRawServer(({ request, response }) => {
		if (request.path.startsWith("/slow")) return;
		if (!request.path.startsWith("/broken"))
			response.writeHead(request.path.startsWith("/missing") ? 404 : 200).end(CONTENT);
		else
			response
				.writeHead(200, { "content-length": 1_000 })
				.write(CONTENT, () => response.destroy());
	});
}

const reasons = (kind: "JobFile" | "Job", inputs: Props) =>
	world.process({ preview: true }).refusals({ kind, name: "f" }, inputs);

it("a path that cannot be read is reported at preview with the folder that it is relative to", async () => {
	const from = `The path is relative to ${process.cwd()}.`;
	const text = `cannot read "./nope.py": there is no such file (ENOENT). ${from} Check the file and its path.`;
	expect(await reasons("JobFile", { source: "./nope.py" })).toEqual([
		`source: ${text}`,
	]);
	expect(await reasons("Job", { file: "./nope.py" })).toEqual([`file: ${text}`]);
});

describe("a job file", () => {
	it.each<[string, () => Props, string]>([
		["a path", () => ({ source: path }), "prepare.py"],
		["an asset with a path", () => ({ source: asset({ path }) }), "prepare.py"],
		[
			"an asset with a file's address",
			() => ({ source: asset({ uri: pathToFileURL(path).href }) }),
			"prepare.py",
		],
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
		const { url, requests } = await webServer();
		const source = asset({ uri: `${url}/files/prepare.py?signature=sesame` });
		expect((await stack.up(file({ source }))).failures).toEqual([]);
		expect(stack.entry("f").outs).toMatchObject({
			name: "prepare.py",
			contentHash: sha256(CONTENT),
		});
		expect(requests.length).toBeGreaterThan(0);
		for (const { path, query, headers } of requests)
			expect([path, query, headers.authorization]).toEqual([
				"/files/prepare.py",
				[["signature", "sesame"]],
				undefined,
			]);
	});

	it("at an address is asked for only when it is uploaded where the engine tells its hash", async () => {
		const { url, requests } = await webServer();
		const source = asset({ uri: `${url}/prepare.py`, hash: sha256(CONTENT) });
		expect((await stack.preview(file({ source }))).failures).toEqual([]);
		expect(requests).toEqual([]);
		expect((await stack.up(file({ source }))).failures).toEqual([]);
		expect(requests).toHaveLength(1);
	});

	it("keeps its outputs in an update, and only the inputs that are still declared", async () => {
		await stack.up(file({ source: path, name: "a.py" }));
		const entry = stack.entry("f");
		const { source: _, ...inputs } = entry.inputs;
		const { outs } = await world
			.process()
			.update(entry, { ...inputs, text: CONTENT, name: "a.py" });
		const { source: __, ...kept } = entry.outs;
		expect(outs).toEqual({ ...kept, text: CONTENT });
	});

	it("of whose state the service says nothing is deployed", async () => {
		world.fault({ kind: "rewrite", endpoint: "uploadFile", remove: ["state"] });
		expect((await stack.up(file({ source: path }))).failures).toEqual([]);
	});

	it("that only looks like a path is a text where no such file is", async () => {
		expect(
			(await stack.up(file({ text: "no/such/file.py", name: "a.txt" }))).failures,
		).toEqual([]);
	});
});

describe("a job file is refused", () => {
	const NEXT = "Check the address, or download it first and use its path.";
	it("where its address answers with an error, or not at all, without what may be secret in it", async () => {
		const { url } = await webServer();
		const gone = await startRawServer(() => {});
		await gone.close();
		const refused = async (address: string) => {
			const source = asset({ uri: `${address}?signature=sesame` });
			const [text = "", ...others] = await world.process().refusals(WHO, { source });
			const [before, why, next] = text.split(/(?: (?=\())|(?<=\))\. /);
			expect([before, next, others]).toEqual([
				`source: Could not download ${address}`,
				NEXT,
				[],
			]);
			return why;
		};
		expect(await refused(`${url}/missing.py`)).toBe("(status 404)");
		const cut = /^\((UND_ERR_SOCKET|ECONNRESET)\)$/;
		expect(await refused(`${url}/broken.py`)).toMatch(cut);
		const soon = vi
			.spyOn(AbortSignal, "timeout")
			.mockReturnValueOnce(AbortSignal.timeout(20));
		onTestFinished(() => soon.mockRestore());
		expect(await refused(`${url}/slow.py`)).toBe("(TimeoutError)");
		expect(await refused(`${gone.url}/a.py`)).toBe("(ECONNREFUSED)");
	});

	const WITH_PASSWORD =
		"is at an address with a user name or a password, which the state would store in plain text. " +
		"Download the file first and give its path.";
	const UNREADABLE =
		"is at an address that cannot be read: use one that starts with https:// or http://, or a path.";
	it.each([
		["https://ada:hunter2@example.com/a.py", WITH_PASSWORD],
		["http://ada@127.0.0.1/a.py", WITH_PASSWORD],
		["s3://ada:hunter2@bucket/a.py", UNREADABLE],
		["data:text/plain,hunter2", UNREADABLE],
		["no address", UNREADABLE],
	])("where its address is %s", async (uri, why) => {
		expect(await reasons("JobFile", { source: asset({ uri }) })).toEqual([
			`source: ${why}`,
		]);
	});

	it("where it changed between the check and the upload", async () => {
		const process = world.process();
		const inputs = await process.check(WHO, { source: path });
		writeFileSync(path, "print('another')");
		await expect(process.create(WHO, inputs)).rejects.toThrow(
			'File "prepare.py" changed while it was being deployed. Run "pulumi up" again to upload the new content.',
		);
		const nothing = process.create(WHO, { name: "a.py" });
		await expect(nothing).rejects.toThrow("JobFile: neither source nor text is given.");
	});

	it("where the service says only that it failed", async () => {
		world.fault({
			kind: "rewrite",
			endpoint: "uploadFile",
			set: { error: "disk full" },
			remove: ["state"],
		});
		expect((await stack.up(file({ source: path }))).failures).toEqual([
			'f: The service could not store file "prepare.py" in team "ml" (state "unknown"). Check the file and run "pulumi up" again.',
		]);
		expect(stack.entries).toEqual([]);
	});
});

it("that cannot be identified by the response is not to be uploaded again and again", async () => {
	world.fault({ kind: "rewrite", endpoint: "uploadFile", set: { id: 2 ** 60 } });
	expect((await stack.up(file({ text: "x", name: "a.py" }))).failures).toEqual([
		expect.stringMatching(
			/ no request can find it\. Update pulumi-datachain first: .* each "pulumi up" uploads the file again and fails\.$/s,
		),
	]);
});

it("ends an upload when the user interrupts the deployment", async () => {
	const interrupting = new AbortController();
	const process = world.process({ interrupt: interrupting.signal });
	const inputs = await process.check(WHO, { text: CONTENT, name: "a.py" });
	world.fault({ kind: "delay", ms: 20_000, endpoint: "uploadFile" });
	const failed = expect(process.create(WHO, inputs)).rejects.toThrow(
		"it was cancelled",
	);
	await vi.waitFor(() => expect(world.server.requests.inFlight).toBe(1));
	interrupting.abort();
	await failed;
});
