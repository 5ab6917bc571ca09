import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { clientConfig } from "../../src/storage/rules";
import { companions, DOCUMENT, type DocumentedParameter } from "../helpers/storage-document";
import {
	askStoragePython,
	CONNECT_S3,
	EACH,
	PROBE,
	PROTOCOLS,
	type Probed,
	SIGN_IN,
	storagePython,
	storagePythonMissing,
	variables,
} from "../helpers/storage-python";
import { type GsStore, gsStore } from "../helpers/storage-servers";

const missing = storagePythonMissing("what the library makes of each parameter");
const KEY = Buffer.from("a shared key").toString("base64");

describe.skipIf(missing)("the real Python filesystems", () => {
	let python: string;
	let gs: GsStore;

	beforeAll(async () => {
		python = await storagePython.python();
		gs = await gsStore("unused", { name: "unused", body: "" });
	}, 900_000);
	afterAll(() => gs?.close());

	const ask = <T>(
		script: string,
		env: Readonly<Record<string, string>>,
		args?: readonly string[],
	): Promise<T> => askStoragePython<T>(python, script, env, args);

	test("every parameter of the document reaches its filesystem with its value and type", async () => {
		const rows = DOCUMENT.filter(({ good }) => good !== undefined);
		const configs = rows.map((row) => ({ kind: row.kind, parameters: parametersOf(row) }));
		const asked = configs.map((config) => [PROTOCOLS[config.kind], variables(config)]);
		const got = await ask<unknown[]>(EACH, {}, [JSON.stringify(asked)]);
		expect(got).toHaveLength(50);
		for (const [index, config] of configs.entries()) expect(got[index]).toEqual(clientConfig(config));
	});

	describe("where our rules go beyond the document, or against it", () => {
		test("az signs in with the credentials it is given, and anonymously only without any", async () => {
			const account = { account_name: "images" };
			const principal = { client_id: "c", client_secret: "s", tenant_id: "t" };
			const key = { ...account, account_key: KEY };
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
			expect(seen.s3?.asked.attributes).toMatchObject({ version_aware: false, cache_regions: false });
			for (const protocol of ["s3", "gs", "abfs"]) {
				expect(seen[protocol]?.library.options).toMatchObject({ version_aware: true });
			}
			expect(seen.s3?.library.options).toMatchObject({ cache_regions: true });
			expect(seen.s3?.library.options.config_kwargs).not.toHaveProperty("read_timeout");
		});
	});

	/** The document's example value, in a config with which the filesystem can be made without a network. */
	function parametersOf(row: DocumentedParameter): Record<string, unknown> {
		const own = { ...companions(row), [row.name]: row.good };
		if (row.kind !== "gs") return own;
		return { token: "anon", ...own, ...(row.name === "token" && { token: gs.serviceAccount }) };
	}
});
