import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { clientConfig, type StorageConfig } from "../../src/storage/rules";
import { companions, DOCUMENT, type DocumentedParameter } from "../helpers/storage-document";
import {
	askStoragePython as ask,
	CONNECT_S3,
	EACH,
	PROBE,
	PROTOCOLS,
	type Probed,
	READ_ALL,
	SIGN_IN,
	storagePython,
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

const isSkipped = storagePython.isMissingFor("what the real Python filesystems make of a storage");

/** Everything a shell, an env file or JSON could trip over, in the places where secrets stand. */
const S3 = { key: "AKIA#EXAMPLE", secret: "p#a$s's `w\\o\"rd é%", token: "session$HOME" };
const HUB_TOKEN = "hf_hub#token$1";
const ACCOUNT = { name: "images", key: Buffer.from("a shared key").toString("base64") };
/** Without it gcsfs asks an emulator, for a minute, over a protocol that emulators do not speak. */
const EMULATED = { GCSFS_EXPERIMENTAL_ZB_HNS_SUPPORT: "false" };

describe.skipIf(isSkipped)("the real Python filesystems", () => {
	let s3: PrivateStore;
	let gs: GsStore;
	let az: AzStore;
	let hf: PrivateStore;

	beforeAll(async () => {
		await storagePython.python();
		s3 = await s3Store(S3, "private", { key: "images/cat.txt", body: "a cat from s3" });
		gs = await gsStore("private", { name: "dog.txt", body: "a dog from gs" });
		az = await azStore(ACCOUNT, "private", { name: "cow.txt", body: "a cow from az" });
		hf = await hfHub(HUB_TOKEN, "reader");
	}, 900_000);
	afterAll(() => Promise.all([s3?.close(), gs?.close(), az?.close(), hf?.close()]));

	/** The document's example value, in a config with which the filesystem can be made without a network. */
	function parametersOf(row: DocumentedParameter): Record<string, unknown> {
		const own = { ...companions(row), [row.name]: row.good };
		if (row.kind !== "gs") return own;
		return { token: "anon", ...own, ...(row.name === "token" && { token: gs.serviceAccount }) };
	}

	test("get every parameter of the document with its value and type", async () => {
		const rows = DOCUMENT.filter(({ good }) => good !== undefined);
		const configs = rows.map((row) => ({ kind: row.kind, parameters: parametersOf(row) }));
		const asked = configs.map((config) => [PROTOCOLS[config.kind], variables(config)]);
		const got = await ask<unknown[]>(EACH, {}, [JSON.stringify(asked)]);
		expect(got).toHaveLength(50);
		for (const [index, config] of configs.entries()) expect(got[index]).toEqual(clientConfig(config));
	});

	describe("of a script without credentials", () => {
		const uris = ["s3://private/images/cat.txt", "gs://private/dog.txt", "az://private/cow.txt"];
		const configs = (): StorageConfig[] => [
			{ kind: "s3", parameters: { ...S3, endpointUrl: s3.url, clientKwargs: { region_name: "eu-west-1" } } },
			{ kind: "gs", parameters: { token: gs.serviceAccount, endpointUrl: gs.url, access: "read_only" } },
			{ kind: "az", parameters: { connectionString: az.connectionString } },
			{ kind: "hf", parameters: { token: HUB_TOKEN, endpoint: hf.url } },
		];
		const read = (given: readonly StorageConfig[]) =>
			ask<Record<string, string>>(READ_ALL, { ...EMULATED, ...variables(...given) }, uris);

		test("read private data from S3-compatible and emulated stores", async () => {
			expect(await read(configs())).toEqual({
				"s3://private/images/cat.txt": "a cat from s3",
				"gs://private/dog.txt": "a dog from gs",
				"az://private/cow.txt": "a cow from az",
				hf: "reader",
			});
		});

		test("are turned away with other credentials", async () => {
			const wrong: Readonly<Record<string, object>> = {
				s3: { secret: "wrong" },
				gs: { token: "anon" },
				az: { connectionString: az.connectionString.replace(ACCOUNT.key, "d3Jvbmc=") },
				hf: { token: "wrong" },
			};
			const spoiled = configs().map(({ kind, parameters }) => ({
				kind,
				parameters: { ...parameters, ...wrong[kind] },
			}));
			const answers = Object.values(await read(spoiled));
			expect(answers).toHaveLength(4);
			for (const answer of answers) expect(answer).toMatch(/^\w+: /);
		});
	});

	describe("where our rules go beyond the document, or against it", () => {
		test("az signs in with the credentials it is given, and anonymously only without any", async () => {
			const account = { account_name: "images" };
			const principal = { client_id: "c", client_secret: "s", tenant_id: "t" };
			const key = { ...account, account_key: ACCOUNT.key };
			const asked = [
				key,
				{ ...key, sas_token: "sig=a" },
				{ ...account, sas_token: "sig=a" },
				{ ...account, ...principal },
				{ ...key, ...principal },
				{ ...key, anon: true },
				{ ...account, anon: true },
			];
			expect(await ask(SIGN_IN, {}, [JSON.stringify(asked)])).toEqual([
				"SharedKeyCredentialPolicy",
				"SharedKeyCredentialPolicy",
				"SAS token",
				"ClientSecretCredential",
				"SharedKeyCredentialPolicy",
				"SharedKeyCredentialPolicy",
				"NoneType",
			]);
		});

		test("s3 fails on a parameter that client_kwargs repeats, unless the loser is left out", async () => {
			const clientKwargs = { endpoint_url: "http://127.0.0.1:1", region_name: "eu-west-1" };
			const endpointUrl = "http://127.0.0.1:2";
			const ours = clientConfig({ kind: "s3", parameters: { endpointUrl, clientKwargs } });
			const raw = { endpoint_url: endpointUrl, client_kwargs: clientKwargs };
			expect(await ask(CONNECT_S3, {}, [JSON.stringify([raw, ours])])).toEqual(["TypeError", endpointUrl]);
		});

		test("the parameters we warn of are overridden by the library's own values", async () => {
			const s3Parameters = { versionAware: false, cacheRegions: false, configKwargs: { read_timeout: 1 } };
			const env = variables(
				{ kind: "s3", parameters: s3Parameters },
				{ kind: "gs", parameters: { token: "anon", versionAware: false } },
				{ kind: "az", parameters: { accountName: "images", versionAware: false } },
			);
			const seen = await ask<Probed>(PROBE, env);
			for (const { asked, library } of Object.values(seen)) {
				expect(asked).toMatchObject({ version_aware: false });
				expect(library).toMatchObject({ version_aware: true });
			}
			expect(seen.s3?.asked).toMatchObject({ cache_regions: false, config_kwargs: { read_timeout: 1 } });
			expect(seen.s3?.library).toMatchObject({ cache_regions: true });
			expect(seen.s3?.library).not.toHaveProperty("config_kwargs.read_timeout");
		});
	});
});
