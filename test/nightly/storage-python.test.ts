import { beforeAll, describe, expect, test } from "vitest";
import { clientConfig } from "../../src/storage/rules";
import { companions, DOCUMENT, type DocumentedParameter } from "../helpers/storage-document";
import {
	askStoragePython as ask,
	CONNECT_S3,
	EACH,
	PROBE,
	PROTOCOLS,
	type Probed,
	SIGN_IN,
	serviceAccount,
	storagePython,
	variables,
} from "../helpers/storage-python";

const isSkipped = storagePython.isMissingFor("what the real Python filesystems make of a storage");

describe.skipIf(isSkipped)("the real Python filesystems", () => {
	beforeAll(async () => {
		await storagePython.python();
	}, 900_000);
	const account = serviceAccount();

	/** The document's example value, in a config with which the filesystem can be made without a network. */
	function parametersOf(row: DocumentedParameter): Record<string, unknown> {
		const own = { ...companions(row), [row.name]: row.good };
		if (row.kind !== "gs") return own;
		return { token: "anon", ...own, ...(row.name === "token" && { token: account }) };
	}

	test("get every parameter of the document with its value and type", async () => {
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
			const key = { ...account, account_key: "a2V5" };
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
