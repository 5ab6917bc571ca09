import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { clientConfig, compactJson, type StorageConfig } from "../../src/storage/rules";
import { type TestDeployment, testDeployment } from "../helpers/e2e-deployment";
import {
	askStoragePython,
	PROBE,
	PROTOCOLS,
	type Probed,
	READ_ALL,
	storagePython,
	storagePythonMissing,
	variables,
} from "../helpers/storage-python";
import {
	type AzStore,
	azStore,
	type GsStore,
	gsStore,
	hfHub,
	type PrivateStore,
	s3Store,
} from "../helpers/storage-servers";

const missing = storagePythonMissing("private data read with what pulumi up wrote");

/** Everything a shell, an env file or JSON could trip over, in the places where secrets stand. */
const AWKWARD = "p#a$s's `w\\o\"rd é%";
const S3 = { key: "AKIA#EXAMPLE", secret: AWKWARD, token: "session$HOME" };
/** Without it gcsfs asks an emulator, for a minute, over a protocol that emulators do not speak. */
const EMULATED = { GCSFS_EXPERIMENTAL_ZB_HNS_SUPPORT: "false" };
const HUB_TOKEN = "hf_hub#token$1";
const ACCOUNT = { name: "images", key: Buffer.from("a shared key").toString("base64") };

describe.skipIf(missing)("the real Python filesystems", () => {
	let python: string;
	let s3: PrivateStore;
	let gs: GsStore;
	let az: AzStore;
	let hf: PrivateStore;

	beforeAll(async () => {
		python = await storagePython.python();
		s3 = await s3Store(S3, "private", { key: "images/cat.txt", body: "a cat from s3" });
		gs = await gsStore("private", { name: "dog.txt", body: "a dog from gs" });
		az = await azStore(ACCOUNT, "private", { name: "cow.txt", body: "a cow from az" });
		hf = await hfHub(HUB_TOKEN, "reader");
	}, 900_000);
	afterAll(() => Promise.all([s3?.close(), gs?.close(), az?.close(), hf?.close()]));

	const ask = <T>(
		script: string,
		env: Readonly<Record<string, string>>,
		args?: readonly string[],
	): Promise<T> => askStoragePython<T>(python, script, env, args);

	describe("with the environment that pulumi up wrote", () => {
		let deployment: TestDeployment;
		let written: Record<string, string>;
		const configs = (): StorageConfig[] => [
			{
				kind: "s3",
				parameters: {
					...S3,
					endpointUrl: s3.url,
					defaultCacheType: null,
					clientKwargs: { region_name: "eu-west-1" },
					kwargs: { use_listings_cache: false },
				},
			},
			{
				kind: "gs",
				parameters: { token: gs.serviceAccount, endpointUrl: gs.url, access: "read_only", cacheTimeout: 2.5 },
			},
			{
				kind: "az",
				parameters: { connectionString: az.connectionString, blocksize: 1_048_576, readTimeout: 30 },
			},
			{ kind: "hf", parameters: { token: HUB_TOKEN, endpoint: hf.url } },
		];

		beforeAll(async () => {
			deployment = await testDeployment({ program: PROGRAM, env: { STORAGES: JSON.stringify(configs()) } });
			await deployment.up();
			const team_name = deployment.server.teamName;
			const pipeline = await deployment.client.pipelines.status({ team_name, name: "nightly-images" });
			written = z.record(z.string(), z.string()).parse(pipeline.environment_variables);
		});
		afterAll(() => deployment?.dispose());

		test("each filesystem has exactly the options that were declared", async () => {
			const names = ["FSSPEC_ABFS", "FSSPEC_GS", "FSSPEC_HF", "FSSPEC_S3", ...Object.keys(EMULATED)];
			expect(Object.keys(written).sort()).toEqual(names);
			const seen = await ask<Probed>(PROBE, written);
			for (const config of configs()) {
				const got = seen[PROTOCOLS[config.kind] ?? ""];
				expect(got?.asked.options).toEqual(clientConfig(config));
				expect(got?.library.options).toMatchObject(clientConfig(config));
			}
			expect(seen.s3?.library.attributes).toMatchObject({ ...S3, default_cache_type: null });
			expect(seen.abfs?.library.attributes).toMatchObject({ blocksize: 1_048_576 });
			expect(seen.hf?.library.attributes).toEqual({ token: HUB_TOKEN, endpoint: hf.url });
		});

		test("a script without credentials reads private data from S3-compatible and emulated stores", async () => {
			const uris = ["s3://private/images/cat.txt", "gs://private/dog.txt", "az://private/cow.txt"];
			expect(await ask(READ_ALL, written, uris)).toEqual({
				"s3://private/images/cat.txt": "a cat from s3",
				"gs://private/dog.txt": "a dog from gs",
				"az://private/cow.txt": "a cow from az",
				hf: "reader",
			});
		});

		test("the same script with other credentials is turned away", async () => {
			const spoiled = configs().map(({ kind, parameters }) => {
				if (kind === "s3") return { kind, parameters: { ...parameters, secret: "wrong" } };
				if (kind === "hf") return { kind, parameters: { ...parameters, token: "wrong" } };
				if (kind === "gs") return { kind, parameters: { ...parameters, token: "anon" } };
				return {
					kind,
					parameters: { connectionString: az.connectionString.replace(ACCOUNT.key, "d3Jvbmc=") },
				};
			});
			const env = { ...EMULATED, ...variables(...spoiled) };
			const uris = ["s3://private/images/cat.txt", "gs://private/dog.txt", "az://private/cow.txt"];
			const answers = Object.values(await ask<Record<string, string>>(READ_ALL, env, uris));
			expect(answers).toHaveLength(4);
			for (const answer of answers) expect(answer).toMatch(/^\w+: /);
		});

		test("nothing of a credential is in the state, in clear, or on the screen", () => {
			const state = JSON.stringify(deployment.stack.checkpoint());
			const secrets = [
				AWKWARD,
				S3.key,
				S3.token,
				HUB_TOKEN,
				ACCOUNT.key,
				gs.serviceAccount.private_key ?? "",
			];
			for (const secret of secrets) {
				const inner = (json: string) => json.slice(1, -1);
				// As it is, as it is rendered, and both once more inside a JSON text.
				const forms = [secret, inner(JSON.stringify(secret)), inner(compactJson(secret))];
				for (const form of [...forms, ...forms.map((text) => inner(JSON.stringify(text)))]) {
					expect(state).not.toContain(form);
					expect(deployment.printed()).not.toContain(form);
				}
			}
		});
	});
});

/** Plain values for everything: what is a secret is for the package to know. */
const PROGRAM = `
const { PipelineSettings, storage } = require("pulumi-datachain");
new PipelineSettings("images", {
	pipelineName: "nightly-images",
	environment: ${JSON.stringify(EMULATED)},
	adopt: true,
	storage: JSON.parse(process.env.STORAGES).map(({ kind, parameters }) => storage[kind](parameters)),
});
`;
