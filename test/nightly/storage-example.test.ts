import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { type LocalServer, startServer } from "../../src/server";
import { createStack, type Stack } from "../../tools/stack";
import { repository, testEngine } from "../helpers/engine";
import { pythonClient } from "../helpers/python-environment";
import { apiOf } from "../helpers/server-harness";
import { runStoragePython } from "../helpers/storage-python";
import { type GsStore, gsStore, type PrivateStore, s3Store } from "../helpers/storage-servers";

const isSkipped = pythonClient.isMissingFor("the storage example with the service's own library");

const folder = join(repository, "examples", "storage");
const script = readFileSync(join(folder, "read_images.py"), "utf8");
const variablesSchema = z.record(z.string(), z.string());
const CREDENTIALS = { key: "EXAMPLE-KEY", secret: "example # $ecret's" };

describe.skipIf(isSkipped)("examples/storage with the service's own Python library", () => {
	let python: string;
	let server: LocalServer;
	let stack: Stack;
	let s3: PrivateStore;
	let gs: GsStore;

	beforeAll(async () => {
		python = await pythonClient.python();
		s3 = await s3Store(CREDENTIALS.key, "acme-images", { key: "raw/cat.txt", body: "a private cat" });
		gs = await gsStore("acme-labels", { name: "cat.json", body: "a private label" });
		server = await startServer();
		stack = await createStack({ projectDir: folder, engine: await testEngine(), env: server.environment });
		const secret = { secret: true };
		await stack.setConfig("s3Endpoint", s3.url);
		await stack.setConfig("s3Key", CREDENTIALS.key, secret);
		await stack.setConfig("s3Secret", CREDENTIALS.secret, secret);
		await stack.setConfig("gsEndpoint", gs.url);
		await stack.setConfig("serviceAccountKey", JSON.stringify(gs.serviceAccount), secret);
		const up = await stack.up(["--skip-preview"]);
		expect(up.code, up.stdout + up.stderr).toBe(0);
	}, 900_000);
	afterAll(async () => {
		stack?.dispose();
		await Promise.all([server?.close(), s3?.close(), gs?.close()]);
	});

	// Without the first, gcsfs asks an emulator for a minute over a protocol that emulators do not speak.
	const run = (env: Readonly<Record<string, string>>) =>
		runStoragePython(python, script, {
			GCSFS_EXPERIMENTAL_ZB_HNS_SUPPORT: "false",
			DATACHAIN_NO_ANALYTICS: "1",
			...env,
		});

	test("has no credentials in its script, and the script reads private data from both stores", async () => {
		const pipeline = await apiOf(server).get("/pipeline/status?team_name=vision&name=nightly-images");
		const variables = variablesSchema.parse(pipeline.at("environment_variables"));
		const { code, stdout, stderr } = await run(variables);
		expect(code, stderr).toBe(0);
		expect(stdout.trim().split("\n")).toEqual([
			"s3://acme-images raw/cat.txt a private cat",
			"gs://acme-labels cat.json a private label",
		]);
	});
});
