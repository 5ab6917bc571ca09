import { generateKeyPairSync } from "node:crypto";
import { dirname } from "node:path";
import { renderStorage, type StorageConfig } from "../../src/storage/rules";
import { type Result, run } from "../../tools/process/run";
import { tempFolder } from "../../tools/process/temp-folder";
import { PythonEnvironment } from "./python-environment";

/** The filesystems that jobs use, at versions that work together. */
export const storagePython = new PythonEnvironment("the Python filesystems", {
	fsspec: "2026.9.0",
	s3fs: "2026.9.0",
	gcsfs: "2026.10.1",
	adlfs: "2026.8.0",
	huggingface_hub: "2.4.0",
});

/** Runs a script with that Python and the given environment, and nothing of ours beside it. */
export function runStoragePython(
	python: string,
	script: string,
	env: Readonly<Record<string, string>>,
	args: readonly string[] = [],
): Promise<Result> {
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
	const options = { env: clean, cwd: home.path, timeoutMs: 120_000 };
	return run(python, ["-c", script, ...args], options).finally(home.remove);
}

/** Runs a script that prints one JSON value, and returns it. */
export async function askStoragePython<T>(
	script: string,
	env: Readonly<Record<string, string>>,
	args?: readonly string[],
): Promise<T> {
	const { code, stdout, stderr } = await runStoragePython(await storagePython.python(), script, env, args);
	if (code !== 0) throw new Error(`Python ended with ${code}:\n${stderr.slice(-4_000)}`);
	return JSON.parse(stdout) as T;
}

/** A service account's key file, which the filesystem reads before it asks anybody. */
export function serviceAccount(): Record<string, string> {
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
export const variables = (...configs: StorageConfig[]): Record<string, string> =>
	Object.fromEntries(
		configs.flatMap((config) => {
			const rendered = renderStorage(config);
			return rendered ? [[rendered.name, rendered.value]] : [];
		}),
	);

/** The name that each storage has among the filesystems. */
export const PROTOCOLS: Readonly<Record<string, string>> = { s3: "s3", gs: "gs", az: "abfs", hf: "hf" };

/** What PROBE prints, by protocol. */
export type Probed = Readonly<Record<string, { readonly asked: object; readonly library: object }>>;

/**
 * Makes each filesystem from the environment and prints the options that it was made with: first by protocol, then as the
 * service's library makes it, with its own values.
 */
export const PROBE = `
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
export const EACH = `
import json, sys, fsspec
from fsspec.config import conf, set_conf_env

def options(protocol, environment):
    conf.clear()
    set_conf_env(conf, environment)
    return fsspec.filesystem(protocol, skip_instance_cache=True).storage_options

print(json.dumps([options(protocol, environment) for protocol, environment in json.loads(sys.argv[1])]))
`;

/** Makes the blob filesystem with each set of parameters and prints how it would sign in. */
export const SIGN_IN = `
import json, sys
from adlfs import AzureBlobFileSystem

def sign_in(parameters):
    fs = AzureBlobFileSystem(**parameters, skip_instance_cache=True)
    credential = fs.service_client.credential
    return "SAS token" if "sig=" in fs.service_client.url else type(credential).__name__

print(json.dumps([sign_in(parameters) for parameters in json.loads(sys.argv[1])]))
`;

/** Connects with each set of parameters and prints the endpoint, or the kind of failure. */
export const CONNECT_S3 = `
import json, sys
from s3fs import S3FileSystem

def connect(parameters):
    try:
        return S3FileSystem(**parameters, skip_instance_cache=True).connect().meta.endpoint_url
    except Exception as error:
        return type(error).__name__

print(json.dumps([connect(parameters) for parameters in json.loads(sys.argv[1])]))
`;
