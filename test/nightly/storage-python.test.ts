import { generateKeyPairSync } from "node:crypto";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { clientConfig, renderStorage, type StorageConfig } from "../../src/storage/rules";
import { succeeded } from "../../tools/process/must";
import { tempFolder } from "../../tools/process/temp-folder";
import { stackOf } from "../helpers/e2e-stack";
import { repository } from "../helpers/engine";
import { askPython, pythonClient } from "../helpers/python-environment";
import { apiOf } from "../helpers/server-harness";
import { companions, DOCUMENT, type DocumentedParameter } from "../helpers/storage-document";

/** The service's own library brings the filesystems that jobs use. */
const isSkipped = pythonClient.isMissingFor("what the real Python filesystems make of a storage");

/** Runs a script that prints one JSON value, with the given environment and nothing of ours beside it. */
async function ask<T>(script: string, env: Readonly<Record<string, string>>, question?: unknown): Promise<T> {
	const python = await pythonClient.python();
	// A home of its own: no credentials, tokens or fsspec settings of whoever runs the tests.
	const home = tempFolder("storage-home-");
	const clean = {
		HOME: home.path,
		PATH: dirname(python),
		PYTHONDONTWRITEBYTECODE: "1",
		// Keeps google-auth and botocore from asking a metadata server that is not there.
		NO_GCE_CHECK: "true",
		AWS_EC2_METADATA_DISABLED: "true",
		...(process.platform === "win32" && { SYSTEMROOT: process.env.SYSTEMROOT }),
		...env,
	};
	try {
		return (await askPython(python, script, question, clean)) as T;
	} finally {
		home.remove();
	}
}

/** A service account's key file, which the filesystem reads before it asks anybody. */
function serviceAccount(): Record<string, string> {
	const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
	return {
		type: "service_account",
		project_id: "images",
		private_key_id: "1",
		private_key: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
		client_email: "reader@images.example.com",
		client_id: "1",
		token_uri: "http://127.0.0.1:1/token",
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
const PROTOCOLS: Readonly<Record<string, string>> = { s3: "s3", gs: "gs", az: "abfs", hf: "hf" };

/** What PROBE prints, by protocol. */
type Probed = Readonly<Record<string, { readonly asked: object; readonly library: object }>>;

/**
 * Makes each filesystem from the environment and prints the options that it was made with: first by protocol, then as the
 * service's library makes it, with its own values.
 */
const PROBE = `
import json, fsspec
from adlfs import AzureBlobFileSystem
from gcsfs import GCSFileSystem
from s3fs import S3FileSystem

LIBRARY = {
    "s3": lambda: S3FileSystem(config_kwargs={"signature_version": "s3v4"}, cache_regions=True, version_aware=True),
    "gs": lambda: GCSFileSystem(version_aware=True),
    "abfs": lambda: AzureBlobFileSystem(version_aware=True),
}

print(json.dumps({
    protocol: {
        "asked": fsspec.filesystem(protocol).storage_options,
        "library": make().storage_options,
    }
    for protocol, make in LIBRARY.items()
}))
`;

/** Takes environments as JSON, reads each as fsspec does at its start, and prints the options each filesystem got. */
const EACH = `
import json, sys, fsspec
from fsspec.config import conf, set_conf_env

def options(protocol, environment):
    conf.clear()
    set_conf_env(conf, environment)
    return fsspec.filesystem(protocol, skip_instance_cache=True).storage_options

print(json.dumps([options(protocol, environment) for protocol, environment in json.load(sys.stdin)]))
`;

/** Makes the blob filesystem with each set of parameters and prints how it would sign in. */
const SIGN_IN = `
import json, sys
from adlfs import AzureBlobFileSystem

def sign_in(parameters):
    fs = AzureBlobFileSystem(**parameters, skip_instance_cache=True)
    credential = fs.service_client.credential
    return "SAS token" if "sig=" in fs.service_client.url else type(credential).__name__

print(json.dumps([sign_in(parameters) for parameters in json.load(sys.stdin)]))
`;

/** Connects with each set of parameters and prints the endpoint, or the kind of failure. */
const CONNECT_S3 = `
import json, sys
from s3fs import S3FileSystem

def connect(parameters):
    try:
        return S3FileSystem(**parameters, skip_instance_cache=True).connect().meta.endpoint_url
    except Exception as error:
        return type(error).__name__

print(json.dumps([connect(parameters) for parameters in json.load(sys.stdin)]))
`;

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
		const configs = rows.map((row) => ({ kind: row.kind, parameters: parametersOf(row) }));
		const asked = configs.map((config) => [PROTOCOLS[config.kind], variables(config)]);
		const got = await ask<unknown[]>(EACH, {}, asked);
		expect(got).toHaveLength(50);
		for (const [index, config] of configs.entries()) expect(got[index]).toEqual(clientConfig(config));
	});

	test("get what the program of examples/storage declares from the environment that its deployment writes", async () => {
		const [key, secret] = ["EXAMPLE-KEY", "example # $ecret's"];
		const { server, stack } = await stackOf(join(repository, "examples", "storage"));
		await stack.setConfig("s3Endpoint", "http://127.0.0.1:9000");
		await stack.setConfig("gsEndpoint", "http://127.0.0.1:4443");
		const secrets = { s3Key: key, s3Secret: secret, serviceAccountKey: JSON.stringify(account) };
		for (const [name, value] of Object.entries(secrets)) await stack.setConfig(name, value, { secret: true });
		succeeded("pulumi up", await stack.up(["--skip-preview"]));
		const pipeline = await apiOf(server).get("/pipeline/status?team_name=vision&name=nightly-images");
		const asked = ["s3", "gs"].map((protocol) => [protocol, pipeline.at("environment_variables")]);
		expect(await ask(EACH, {}, asked)).toEqual([
			{ key, secret, endpoint_url: "http://127.0.0.1:9000" },
			{ token: account, endpoint_url: "http://127.0.0.1:4443", access: "read_only" },
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
			expect(await ask(SIGN_IN, {}, asked)).toEqual([
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
			expect(await ask(CONNECT_S3, {}, [raw, ours])).toEqual(["TypeError", endpointUrl]);
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
