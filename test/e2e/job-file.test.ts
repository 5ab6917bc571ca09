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
		test = await testDeployment();
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
		test.declare(file({ source: { $asset: "FileAsset", value: "./moved/prepare.py" } }), user);
		await test.up(["--expect-no-changes"]);
		expect(uploads()).toBe(1);
	});

	it("string and remote assets work too", async () => {
		const three = { source: { $asset: "StringAsset", value: "print('three')\n" }, name: "three.py" };
		const web = createServer((_, reply) => reply.end("print('four!')\n")).listen(0, "127.0.0.1");
		await new Promise((resolve) => web.once("listening", resolve));
		const { port } = web.address() as AddressInfo;
		const four = { source: { $asset: "RemoteAsset", value: `http://127.0.0.1:${port}/files/four.py` } };
		test.declare(file(three), { ...file(four), name: "remote" });
		await test.up();
		expect((await test.resource("script")).outputs).toMatchObject({ filename: "three.py", size: 15 });
		expect((await test.resource("remote")).outputs).toMatchObject({ filename: "four.py", size: 15 });
		await test.expectSettled();
		web.close();
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
		expect(diagnostics.match(/The API cannot delete an uploaded file/g)).toHaveLength(1);
	});
});
