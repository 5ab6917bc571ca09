import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { type LocalServer, startServer } from "../../src/server";
import { createStack, type Stack } from "../../tools/stack";
import { repository, testEngine } from "../helpers/engine";
import { pythonClient } from "../helpers/python-environment";
import { apiOf } from "../helpers/server-harness";
import { EACH, runStoragePython, serviceAccount } from "../helpers/storage-python";

const isSkipped = pythonClient.isMissingFor("the storage example with the service's own library");

const [key, secret] = ["EXAMPLE-KEY", "example # $ecret's"];
const account = serviceAccount();

describe.skipIf(isSkipped)("examples/storage, with the filesystems that the service's library brings", () => {
	let python: string;
	let server: LocalServer;
	let stack: Stack;
	beforeAll(async () => {
		python = await pythonClient.python();
		server = await startServer();
		const projectDir = join(repository, "examples", "storage");
		stack = await createStack({ projectDir, engine: await testEngine(), env: server.environment });
		await stack.setConfig("s3Endpoint", "http://127.0.0.1:9000");
		await stack.setConfig("gsEndpoint", "http://127.0.0.1:4443");
		for (const [name, value] of Object.entries({
			s3Key: key,
			s3Secret: secret,
			serviceAccountKey: JSON.stringify(account),
		}))
			await stack.setConfig(name, value, { secret: true });
		const up = await stack.up(["--skip-preview"]);
		expect(up.code, up.stdout + up.stderr).toBe(0);
	}, 900_000);
	afterAll(async () => {
		stack?.dispose();
		await server?.close();
	});

	test("a job's filesystems get from the environment what the program declares", async () => {
		const pipeline = await apiOf(server).get("/pipeline/status?team_name=vision&name=nightly-images");
		const variables = z.record(z.string(), z.string()).parse(pipeline.at("environment_variables"));
		const asked = ["s3", "gs"].map((protocol) => [protocol, variables]);
		const { code, stdout, stderr } = await runStoragePython(python, EACH, {}, [JSON.stringify(asked)]);
		expect(code, stderr).toBe(0);
		expect(JSON.parse(stdout)).toEqual([
			{ key, secret, endpoint_url: "http://127.0.0.1:9000" },
			{ token: account, endpoint_url: "http://127.0.0.1:4443", access: "read_only" },
		]);
	});
});
