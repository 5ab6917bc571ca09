import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Declared, type TestDeployment, testDeployment } from "../helpers/e2e-deployment";

const file = (args: object): Declared => ({ kind: "JobFile", name: "script", args: { ...args } });
const user: Declared = {
	kind: "PipelineSettings",
	name: "uses",
	args: { pipelineName: "rusty-vise" },
	from: { files: ["script.id"] },
};

describe("JobFile, one life on the real engine", () => {
	let test: TestDeployment;
	beforeAll(async () => {
		const token = "a-token-for-two-teams";
		const teams = ["vision", "audio"];
		test = await testDeployment({
			tokens: [{ token, user: "data-eng", teams, read: true, write: true }],
			env: { DATACHAIN_STUDIO_TOKEN: token },
		});
		writeFileSync(join(test.folder, "prepare.py"), "print('one')\n");
	});
	afterAll(() => test?.dispose());

	const uploads = () => test.server.requests.count({ endpoint: "uploadFile" });

	it("uploads the file and hands its id on", async () => {
		test.declare(file({ source: "./prepare.py" }), user);
		await test.up();
		const { id, outputs } = await test.resource("script");
		expect(outputs).toMatchObject({ fileId: id, filename: "prepare.py", size: 13 });
		expect((await test.resource("uses")).outputs).toMatchObject({ files: [id], uncheckedKeys: ["files"] });
		await test.expectSettled();
	});

	it("the same bytes from another place are no change", async () => {
		mkdirSync(join(test.folder, "moved"));
		renameSync(join(test.folder, "prepare.py"), join(test.folder, "moved", "prepare.py"));
		for (const source of ["./moved/prepare.py", { $asset: "FileAsset", value: "./moved/prepare.py" }]) {
			test.declare(file({ source }), user);
			await test.expectSettled();
		}
		test.declare(file({ text: "print('one')\n", name: "prepare.py" }), user);
		await test.expectSettled();
		expect(uploads()).toBe(1);
	});

	it("other bytes are uploaded under a new id, and its user is updated", async () => {
		const before = (await test.resource("script")).id;
		writeFileSync(join(test.folder, "moved", "prepare.py"), "print('two')\n");
		test.declare(file({ source: "./moved/prepare.py" }), user);
		await test.up();
		const { id } = await test.resource("script");
		expect(id).not.toBe(before);
		expect((await test.resource("uses")).outputs).toMatchObject({ files: [id] });
		await test.expectSettled();
	});

	it("another name, or another team, is another file", async () => {
		const before = (await test.resource("script")).id;
		test.declare(file({ source: "./moved/prepare.py", name: "other.py" }), user);
		await test.up();
		const renamed = await test.resource("script");
		expect(renamed.id).not.toBe(before);
		expect(renamed.outputs).toMatchObject({ filename: "other.py", teamName: "vision" });
		test.declare(file({ source: "./moved/prepare.py", name: "other.py", teamName: "audio" }));
		await test.up();
		const moved = await test.resource("script");
		expect(moved.id).not.toBe(renamed.id);
		expect(moved.outputs).toMatchObject({ teamName: "audio" });
	});

	it("does not move back by itself where the program no longer names a team", async () => {
		test.declare(file({ source: "./moved/prepare.py", name: "other.py" }));
		const refused = await test.stack.preview();
		expect(refused.code).not.toBe(0);
		expect(refused.stdout).toMatch(/is in team "audio", but the connection now names team "vision"/);
		test.declare(file({ source: "./moved/prepare.py", name: "other.py", teamName: "vision" }));
		await test.up();
		expect((await test.resource("script")).outputs).toMatchObject({ teamName: "vision" });
	});

	it("string and remote assets work too", async () => {
		test.declare(
			file({ source: { $asset: "StringAsset", value: "print('three')\n" }, name: "three.py" }),
			user,
		);
		await test.up();
		expect((await test.resource("script")).outputs).toMatchObject({ filename: "three.py", size: 15 });
		const web = createServer((_, reply) => reply.end("print('four!')\n")).listen(0, "127.0.0.1");
		await new Promise((resolve) => web.once("listening", resolve));
		const { port } = web.address() as AddressInfo;
		test.declare(
			file({ source: { $asset: "RemoteAsset", value: `http://127.0.0.1:${port}/files/four.py` } }),
			user,
		);
		await test.up();
		expect((await test.resource("script")).outputs).toMatchObject({ filename: "four.py", size: 15 });
		await test.expectSettled();
		web.close();
	});

	it("an upload that the service could not store fails the deployment", async () => {
		test.server.faults.add({ kind: "failed-upload", message: "disk full", times: 1 });
		test.declare(file({ text: "five", name: "five.txt" }));
		const result = await test.stack.up(["--skip-preview"]);
		expect(result.code).not.toBe(0);
		expect(result.stdout).toMatch(/could not store file "five.txt" in team "vision"/);
	});

	it.each([
		["a file that is not there", { source: "./missing.py" }, /missing\.py/],
		["a directory", { source: "./moved" }, /directory/],
		["a text without a name", { text: "x" }, /name: a text has no name of its own/],
		["a source and a text", { source: "./moved/prepare.py", text: "x", name: "x" }, /both given/],
		["no content at all", {}, /needs a source/],
		["a name with a folder in it", { text: "x", name: "../x" }, /plain file name/],
	])("%s is refused at preview", async (_what, args, message) => {
		const before = uploads();
		test.declare(file(args));
		const result = await test.stack.preview();
		expect(result.code).not.toBe(0);
		expect(result.stdout).toMatch(message);
		expect(uploads()).toBe(before);
	});

	it("destroy forgets the file and says once that the service keeps it", async () => {
		test.declare(file({ text: "one", name: "one.txt" }), {
			...file({ text: "two", name: "two.txt" }),
			name: "second",
		});
		await test.up();
		const result = await test.stack.destroy(["--skip-preview"]);
		expect(result.code).toBe(0);
		const [, diagnostics = ""] = result.stdout.split("Diagnostics:");
		expect(diagnostics.match(/no request that deletes an uploaded file/g)).toHaveLength(1);
	});
});
