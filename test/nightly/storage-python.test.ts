import { generateKeyPairSync } from "node:crypto";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import {
	clientConfig,
	renderStorage,
	type StorageConfig,
} from "../../src/storage/rules";
import { must, succeeded } from "../../tools/process/must";
import { tempFolder } from "../../tools/process/temp-folder";
import { json, startRawServer } from "../helpers/api-servers";
import { stackOf } from "../helpers/e2e-stack";
import { repository } from "../helpers/engine";
import { askPython, pythonClient } from "../helpers/python-environment";
import { apiOf } from "../helpers/server-harness";
import {
	companions,
	DOCUMENT,
	type DocumentedParameter,
} from "../helpers/storage-document";

/** The service's own library brings the filesystems that jobs use. */
const isSkipped = pythonClient.isMissingFor(
	"what the real Python filesystems make of a storage",
);

/** An environment that has nothing of ours but these variables. */
const cleanEnv = (python: string, own: object = {}): NodeJS.ProcessEnv => ({
	// A home of its own: no credentials, tokens or fsspec settings of whoever runs the tests.
	HOME: tempFolder("storage-home-").path,
	PATH: dirname(python),
	PYTHONDONTWRITEBYTECODE: "1",
	// Keeps google-auth and botocore from asking a metadata server that is not there.
	NO_GCE_CHECK: "true",
	AWS_EC2_METADATA_DISABLED: "true",
	...(process.platform === "win32" && { SYSTEMROOT: process.env.SYSTEMROOT }),
	...own,
});

/** Runs a script that reads and prints one JSON value. */
async function ask<T>(script: string, question: unknown): Promise<T> {
	const python = await pythonClient.python();
	return (await askPython(python, script, question, cleanEnv(python))) as T;
}

/** A service account's key file, which the filesystem reads before it asks anybody. */
function serviceAccount(tokenUri = "http://127.0.0.1:1/token"): Record<string, string> {
	const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
	return {
		type: "service_account",
		project_id: "images",
		private_key_id: "1",
		private_key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
		client_email: "reader@images.example.com",
		client_id: "1",
		token_uri: tokenUri,
	};
}

/** The environment that carries the given configs. */
const variables = (...configs: StorageConfig[]): Record<string, string> =>
	Object.fromEntries(
		configs.flatMap((config) => {
			const rendered = renderStorage(config);
			return rendered ? [[rendered.name, rendered.value]] : [];
		}),
	);

/** The name that each storage has among the filesystems. */
const PROTOCOLS: Readonly<Record<string, string>> = {
	s3: "s3",
	gs: "gs",
	az: "abfs",
	hf: "hf",
};

/** Has one object in a bucket of S3, and one of Google's, for whoever comes with the key or with a token for the account. */
async function startStores(key: string): Promise<string> {
	const time = "2026-01-01T00:00:00Z";
	const { url, close } = await startRawServer(
		({ request: { path, headers }, response }) => {
			const isAllowed = new RegExp(`Credential=${key}/|^Bearer granted$`).test(
				headers.authorization ?? "",
			);
			const data = (text: string) =>
				response
					.writeHead(200, {
						"content-length": text.length,
						"last-modified": new Date(time).toUTCString(),
					})
					.end(text);
			const object = {
				name: "cat.txt",
				size: "5",
				generation: "1",
				etag: "1",
				updated: time,
			};
			if (path === "/token")
				return json(response, 200, {
					access_token: "granted",
					expires_in: 3600,
					token_type: "Bearer",
				});
			if (!isAllowed) return response.writeHead(403).end();
			if (path === "/acme-images") return response.end(S3_LIST);
			if (path.startsWith("/acme-images/")) return data("image");
			if (path.startsWith("/download/")) return data("label");
			return json(response, 200, path.endsWith("/o") ? { items: [object] } : object);
		},
	);
	onTestFinished(close);
	return url;
}

const S3_LIST = `<ListVersionsResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Version>
<Key>raw/cat.txt</Key><VersionId>1</VersionId><IsLatest>true</IsLatest><Size>5</Size>
<LastModified>2026-01-01T00:00:00Z</LastModified><ETag>"1"</ETag></Version></ListVersionsResult>`;

describe.skipIf(isSkipped)("the real Python filesystems", () => {
	beforeAll(async () => {
		await pythonClient.python();
	}, 900_000);
	const account = serviceAccount();

	/** The document's example value, in a config with which the filesystem can be made without a network. */
	function parametersOf(row: DocumentedParameter): Record<string, unknown> {
		const own = { ...companions(row.kind, [row.name]), [row.name]: row.good };
		if (row.kind !== "gs") return own;
		return { token: "anon", ...own, ...(row.name === "token" && { token: account }) };
	}

	test("get every parameter of the document with its value and type", async () => {
		const rows = DOCUMENT.filter(({ good }) => good !== undefined);
		const configs = rows.map((row) => ({
			kind: row.kind,
			parameters: parametersOf(row),
		}));
		const asked = configs.map((config) => [PROTOCOLS[config.kind], variables(config)]);
		const got = await ask<unknown[]>("storage_options", asked);
		expect(got).toHaveLength(50);
		for (const [index, config] of configs.entries())
			expect(got[index]).toEqual(clientConfig(config));
	});

	test("examples/storage: the script reads both stores with what its deployment writes into the environment", async () => {
		const [key, secret, url] = [
			"EXAMPLE-KEY",
			"example # $ecret's",
			await startStores("EXAMPLE-KEY"),
		];
		const folder = join(repository, "examples", "storage");
		const token = serviceAccount(`${url}/token`);
		const { server, stack } = await stackOf(folder);
		for (const name of ["s3Endpoint", "gsEndpoint"]) await stack.setConfig(name, url);
		const secrets = {
			s3Key: key,
			s3Secret: secret,
			serviceAccountKey: JSON.stringify(token),
		};
		for (const [name, value] of Object.entries(secrets))
			await stack.setConfig(name, value, { secret: true });
		succeeded("pulumi up", await stack.up(["--skip-preview"]));
		const pipeline = await apiOf(server).get(
			"/pipeline/status?team_name=vision&name=nightly-images",
		);
		const environment = Object(pipeline.at("environment_variables"));
		const asked = ["s3", "gs"].map((protocol) => [protocol, environment]);
		expect(await ask("storage_options", asked)).toEqual([
			{ key, secret, endpoint_url: url },
			{ token, endpoint_url: url, access: "read_only" },
		]);
		const python = await pythonClient.python();
		// The emulator of a store has no gRPC, which gcsfs would try for minutes.
		const env = cleanEnv(python, {
			GCSFS_EXPERIMENTAL_ZB_HNS_SUPPORT: "false",
			...environment,
		});
		const said = await must(python, [join(folder, "read_images.py")], {
			cwd: env.HOME ?? "",
			env,
		});
		expect(said.trim().split("\n")).toEqual([
			"s3://acme-images raw/cat.txt image",
			"gs://acme-labels cat.txt label",
		]);
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
			expect(await ask("storage_sign_in", asked)).toEqual([
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
			const clientKwargs = {
				endpoint_url: "http://127.0.0.1:1",
				region_name: "eu-west-1",
			};
			const endpointUrl = "http://127.0.0.1:2";
			const ours = clientConfig({
				kind: "s3",
				parameters: { endpointUrl, clientKwargs },
			});
			const raw = { endpoint_url: endpointUrl, client_kwargs: clientKwargs };
			expect(await ask("storage_s3_endpoint", [raw, ours])).toEqual([
				"TypeError",
				endpointUrl,
			]);
		});

		test("the parameters we warn of are overridden by the library's own values", async () => {
			const s3Parameters = {
				versionAware: false,
				cacheRegions: false,
				configKwargs: { read_timeout: 1 },
			};
			const env = variables(
				{ kind: "s3", parameters: s3Parameters },
				{ kind: "gs", parameters: { token: "anon", versionAware: false } },
				{ kind: "az", parameters: { accountName: "images", versionAware: false } },
			);
			const optionsOf = (isLibrary: boolean) =>
				ask<object[]>(
					"storage_options",
					["s3", "gs", "abfs"].map((protocol) => [protocol, env, isLibrary]),
				);
			const [asked, library] = [await optionsOf(false), await optionsOf(true)];
			for (const options of asked)
				expect(options).toMatchObject({ version_aware: false });
			for (const options of library)
				expect(options).toMatchObject({ version_aware: true });
			expect(asked[0]).toMatchObject({
				cache_regions: false,
				config_kwargs: { read_timeout: 1 },
			});
			expect(library[0]).toMatchObject({ cache_regions: true });
			expect(library[0]).not.toHaveProperty("config_kwargs.read_timeout");
		});
	});
});
