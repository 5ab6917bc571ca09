import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type TestDeployment, testDeployment } from "../helpers/e2e-deployment";

const CANARY = "canary-storage-77";

const PROGRAM = `
const pulumi = require("@pulumi/pulumi");
const { PipelineSettings, storage } = require("pulumi-datachain");
const { environment, configs } = require("./declared.json")[0];
new PipelineSettings("images", {
	pipelineName: "rusty-vise",
	environment,
	storage: configs.map(({ kind, ...args }) => storage[kind](args)),
	onDestroy: "restore",
});
`;

const s3 = {
	kind: "s3",
	key: `${CANARY}-key`,
	secret: `${CANARY}-secret`,
	endpointUrl: "http://127.0.0.1:9000",
	useSsl: false,
};
const gs = {
	kind: "gs",
	token: { type: "service_account", private_key: `${CANARY}-pem` },
	project: "vision",
};

describe("PipelineSettings.storage on the real engine", () => {
	let test: TestDeployment;
	beforeAll(async () => {
		test = await testDeployment({ program: PROGRAM });
		await test.client.pipelines.settings({ pipeline_name: "rusty-vise", environment: "THEIRS=stays" });
	});
	afterAll(() => test?.dispose());

	const declare = (configs: object[], environment?: object) =>
		test.declare({ configs, environment } as never);
	const live = async () =>
		(await test.client.pipelines.status({ name: "rusty-vise" })).environment_variables ?? {};
	const nowhereInClear = () => {
		expect(JSON.stringify(test.stack.checkpoint())).not.toContain(CANARY);
		expect(test.printed()).not.toContain(CANARY);
	};

	it("writes one variable per storage, keeps the variables of others, and encrypts everything", async () => {
		declare([s3, gs]);
		await test.up(["--diff"]);
		const variables = await live();
		expect(Object.keys(variables).sort()).toEqual(["FSSPEC_GS", "FSSPEC_S3", "THEIRS"]);
		expect(JSON.parse(variables.FSSPEC_S3 ?? "")).toEqual({
			key: `${CANARY}-key`,
			secret: `${CANARY}-secret`,
			endpoint_url: "http://127.0.0.1:9000",
			use_ssl: false,
		});
		nowhereInClear();
		await test.expectSettled();
	});

	it("a changed, an added and a removed parameter are named, never shown, and repaired", async () => {
		const variables = await live();
		const changed = {
			key: `${CANARY}-key`,
			secret: `${CANARY}-stolen`,
			token: `${CANARY}-added`,
			use_ssl: false,
		};
		const lines = Object.entries({ ...variables, FSSPEC_S3: JSON.stringify(changed) }).map(
			([n, v]) => `${n}=${v}`,
		);
		await test.client.pipelines.settings({ pipeline_name: "rusty-vise", environment: lines.join("\n") });
		const drift = await test.drift();
		expect(drift).toMatch(/secret *: \[secret\]/);
		expect(drift).toMatch(/token *: "\(set outside Pulumi\)"/);
		expect(drift).toMatch(/- endpointUrl/);
		expect((await test.stack.refresh(["--skip-preview", "--diff"])).code).toBe(0);
		nowhereInClear();
		await test.up();
		expect(JSON.parse((await live()).FSSPEC_S3 ?? "")).toMatchObject({ secret: `${CANARY}-secret` });
		expect(await test.drift()).toBe("");
	});
});
