import { describe, expect, test } from "vitest";
import { checkStorage, STORAGE_KINDS, STORAGES, type StorageKind } from "../../../src/schemas/storage";

type Parameters = Record<string, unknown>;
type Row = readonly [
	StorageKind,
	rule: string,
	parameter: string,
	says: RegExp,
	broken: Parameters,
	kept: Parameters,
];

/** Stands in every row where a credential would: it must never be seen in a text. */
const HIDDEN = "hidden-value";
const pair = { key: HIDDEN, secret: HIDDEN };
const account = { accountName: "images" };
const principal = { clientId: "c", clientSecret: HIDDEN, tenantId: "t" };
const connection = { connectionString: `AccountName=images;AccountKey=${HIDDEN}` };

const ERRORS: readonly Row[] = [
	[
		"s3",
		"anonymous access together with credentials",
		"anon",
		/key, secret, token/,
		{ anon: true, ...pair },
		{ anon: false, ...pair },
	],
	[
		"s3",
		"anonymous access together with credentials",
		"anon",
		/Leave out/,
		{ anon: true, clientKwargs: { aws_access_key_id: HIDDEN } },
		{ anon: true, clientKwargs: { region_name: "eu-west-1" } },
	],
	["s3", "key without secret", "key", /needs secret/, { key: HIDDEN }, pair],
	[
		"s3",
		"key without secret",
		"key",
		/needs secret/,
		{ key: HIDDEN },
		{ key: HIDDEN, clientKwargs: { aws_secret_access_key: HIDDEN } },
	],
	["s3", "secret without key", "secret", /needs key/, { secret: HIDDEN }, pair],
	[
		"s3",
		"session token without key",
		"token",
		/key and secret/,
		{ token: HIDDEN },
		{ token: HIDDEN, ...pair },
	],
	[
		"s3",
		"endpointUrl is not an endpoint",
		"endpointUrl",
		/http/,
		{ endpointUrl: `https://user:${HIDDEN}@minio` },
		{ endpointUrl: "http://[::1]:9000/prefix" },
	],
	[
		"s3",
		"endpointUrl is not an endpoint",
		"endpointUrl",
		/http/,
		{ endpointUrl: "ftp://minio.example.com" },
		{ endpointUrl: "http://127.0.0.1:9000" },
	],
	[
		"s3",
		"live asynchronous mode",
		"asynchronous",
		/event loop/,
		{ asynchronous: true },
		{ asynchronous: false },
	],
	[
		"s3",
		"kwargs repeats a parameter",
		"kwargs",
		/repeats/,
		{ kwargs: { endpoint_url: HIDDEN } },
		{ kwargs: { profile: HIDDEN } },
	],
	[
		"s3",
		"kwargs repeats a parameter",
		"kwargs",
		/username/,
		{ kwargs: { password: HIDDEN } },
		{ kwargs: {} },
	],
	[
		"gs",
		"endpointUrl is not an endpoint",
		"endpointUrl",
		/no path/,
		{ endpointUrl: "http://localhost:4443/" },
		{ endpointUrl: "http://localhost:4443" },
	],
	[
		"gs",
		"endpointUrl is not an endpoint",
		"endpointUrl",
		/no path/,
		{ endpointUrl: "localhost:4443" },
		{ endpointUrl: "https://storage.example.com" },
	],
	[
		"gs",
		"token is the text of a token dictionary",
		"token",
		/requireSecretObject/,
		{ token: `{"private_key":"${HIDDEN}"}` },
		{ token: { private_key: HIDDEN } },
	],
	["gs", "empty token dictionary", "token", /empty/, { token: {} }, { token: { refresh_token: HIDDEN } }],
	[
		"az",
		"anonymous access together with credentials",
		"anon",
		/accountKey/,
		{ ...account, anon: true, accountKey: HIDDEN },
		{ ...account, anon: false, accountKey: HIDDEN },
	],
	[
		"az",
		"anonymous access together with credentials",
		"anon",
		/connectionString/,
		{ anon: true, ...connection },
		connection,
	],
	["az", "no account name", "accountName", /required/, { accountKey: HIDDEN }, connection],
	[
		"az",
		"account host without account name",
		"accountHost",
		/accountName/,
		{ accountHost: "blob.example.com", anon: true },
		{ accountHost: "blob.example.com", anon: true, ...account },
	],
	[
		"az",
		"account host is not a host",
		"accountHost",
		/https/,
		{ ...account, accountHost: "https://blob.example.com" },
		{ ...account, accountHost: "127.0.0.1:10000/images" },
	],
	[
		"az",
		"incomplete service principal",
		"clientId",
		/missing: clientSecret and tenantId/,
		{ ...account, clientId: "c" },
		{ ...account, ...principal },
	],
	[
		"az",
		"not a connection string",
		"connectionString",
		/Name=value/,
		{ connectionString: HIDDEN },
		connection,
	],
	[
		"hf",
		"endpoint is not an endpoint",
		"endpoint",
		/http/,
		{ endpoint: `https://u:${HIDDEN}@hub` },
		{ endpoint: "https://hub.example.com/mirror" },
	],
];

const WARNINGS: readonly Row[] = [
	[
		"s3",
		"client_kwargs repeats a parameter",
		"clientKwargs",
		/repeats key/,
		{ ...pair, clientKwargs: { aws_access_key_id: HIDDEN } },
		pair,
	],
	[
		"s3",
		"use_ssl in client_kwargs wins",
		"useSsl",
		/priority/,
		{ useSsl: true, clientKwargs: { use_ssl: false } },
		{ useSsl: true },
	],
	[
		"s3",
		"anonymous requester pays",
		"requesterPays",
		/bills/,
		{ anon: true, requesterPays: true },
		{ requesterPays: true },
	],
	[
		"s3",
		"blocks too small to write",
		"defaultBlockSize",
		/5 MiB/,
		{ defaultBlockSize: 1024 },
		{ defaultBlockSize: 5_242_880 },
	],
	["s3", "versionAware has no effect in a job", "versionAware", /client_config/, { versionAware: true }, {}],
	[
		"s3",
		"configKwargs has no effect in a job",
		"configKwargs",
		/client_config/,
		{ configKwargs: { proxies: HIDDEN } },
		{},
	],
	["s3", "cacheRegions has no effect in a job", "cacheRegions", /AWS_REGION/, { cacheRegions: false }, {}],
	[
		"gs",
		"token is a path",
		"token",
		/attached/,
		{ token: `/home/${HIDDEN}.json` },
		{ token: "google_default" },
	],
	["gs", "token of a person's machine", "token", /by hand/, { token: "browser" }, { token: "cloud" }],
	[
		"gs",
		"project ignored with anonymous access",
		"project",
		/ignored/,
		{ project: "p", token: "anon" },
		{ project: "p" },
	],
	[
		"gs",
		"project overridden by the default credentials",
		"project",
		/overridden/,
		{ project: "p", token: "google_default" },
		{ project: "p", token: "cloud" },
	],
	[
		"gs",
		"anonymous requester pays",
		"requesterPays",
		/bills/,
		{ requesterPays: "p", token: "anon" },
		{ requesterPays: false, token: "anon" },
	],
	["gs", "secure_serialize is deprecated", "secureSerialize", /deprecated/, { secureSerialize: false }, {}],
	["gs", "versionAware has no effect in a job", "versionAware", /client_config/, { versionAware: false }, {}],
	[
		"az",
		"anonymous access without an account name",
		"accountName",
		/AZURE_STORAGE_ACCOUNT_NAME/,
		{ anon: true },
		{ anon: true, ...account },
	],
	[
		"az",
		"connection string overrides",
		"connectionString",
		/accountName, accountKey and clientId, ignored/,
		{ ...connection, ...account, accountKey: HIDDEN, clientId: "c" },
		{ ...connection, blocksize: 1024, timeout: 5 },
	],
	[
		"az",
		"account key wins over the SAS token",
		"sasToken",
		/key signs/,
		{ ...account, accountKey: HIDDEN, sasToken: HIDDEN },
		{ ...account, sasToken: HIDDEN },
	],
	[
		"az",
		"credential wins over the account key",
		"accountKey",
		/comes first/,
		{ ...account, accountKey: HIDDEN, credential: HIDDEN },
		{ ...account, accountKey: HIDDEN },
	],
	[
		"az",
		"service principal not used",
		"clientId",
		/sasToken/,
		{ ...account, ...principal, sasToken: HIDDEN },
		{ ...account, ...principal },
	],
	[
		"az",
		"versionAware has no effect in a job",
		"versionAware",
		/client_config/,
		{ ...account, versionAware: true },
		account,
	],
	["hf", "token of a person's machine", "token", /HF_TOKEN/, { token: true }, { token: false }],
];

const known = () => false;
const UNKNOWN = "the value that is not known yet";
const problemsOf = (kind: StorageKind, parameters: Parameters) =>
	checkStorage({ kind, parameters }, known).problems;
const warningsOf = (kind: StorageKind, parameters: Parameters) =>
	checkStorage({ kind, parameters }, known).warnings;

test("every rule has a case here", () => {
	for (const [level, rows] of [
		["error", ERRORS],
		["warning", WARNINGS],
	] as const) {
		const rules = STORAGE_KINDS.flatMap((kind) =>
			STORAGES[kind].rules.filter((rule) => rule.level === level).map(({ name }) => `${kind}: ${name}`),
		);
		expect(new Set(rows.map(([kind, name]) => `${kind}: ${name}`))).toEqual(new Set(rules));
	}
});

describe("refused at preview", () => {
	test.each(ERRORS)("%s: %s", (kind, _, parameter, says, broken, kept) => {
		const found = problemsOf(kind, broken).filter((problem) => problem.parameter === parameter);
		expect(found.map(({ reason }) => reason)).toEqual([expect.stringMatching(says)]);
		expect(problemsOf(kind, kept)).toEqual([]);
	});
});

describe("warned of at preview", () => {
	test.each(WARNINGS)("%s: %s", (kind, _, parameter, says, broken, kept) => {
		expect(problemsOf(kind, broken)).toEqual([]);
		const about = warningsOf(kind, broken).filter((text) =>
			text.startsWith(`storage.${kind}: ${parameter} `),
		);
		expect(about).toEqual([expect.stringMatching(says)]);
		expect(warningsOf(kind, kept)).not.toContain(about[0]);
	});
});

describe("whatever is found", () => {
	const all = [...ERRORS, ...WARNINGS];

	test.each(all)("%s: %s never shows a value", (kind, _name, _parameter, _says, broken) => {
		const found = checkStorage({ kind, parameters: broken }, known);
		expect(JSON.stringify(found)).not.toContain(HIDDEN);
	});

	test.each(all)(
		"%s: %s waits for values that are not known yet",
		(kind, _name, parameter, _says, broken) => {
			const parameters = Object.fromEntries(Object.keys(broken).map((name) => [name, UNKNOWN]));
			const isUnknown = (value: unknown) => value === UNKNOWN;
			const found = checkStorage({ kind, parameters }, isUnknown);
			expect(found.problems.filter((problem) => problem.parameter in broken)).toEqual([]);
			expect(found.warnings.filter((text) => text.includes(`: ${parameter} `))).toEqual([]);
		},
	);
});

describe("the shape of a config", () => {
	const deepUnknown = (value: unknown) => value === UNKNOWN;

	test("is not judged while it, its kind or its parameters are not known", () => {
		for (const config of [
			UNKNOWN,
			{ kind: UNKNOWN, parameters: { a: 1 } },
			{ kind: "s3", parameters: UNKNOWN },
		]) {
			expect(checkStorage(config, deepUnknown)).toEqual({ problems: [], warnings: [] });
		}
	});

	test("with something unknown deep in a dictionary still has its other parameters checked", () => {
		const parameters = { token: { private_key: UNKNOWN }, access: "admin" };
		expect(checkStorage({ kind: "gs", parameters }, deepUnknown).problems).toEqual([
			{ parameter: "access", reason: expect.stringContaining('"read_only"') },
		]);
	});

	test.each([[undefined], ["s3"], [[]], [{ kind: "ftp", parameters: {} }], [{ kind: "s3", parameters: [] }]])(
		"%j is refused",
		(config) => {
			expect(checkStorage(config, known).problems).toEqual([{ parameter: "", reason: expect.any(String) }]);
		},
	);

	test("names the right spelling of a wire name, and the storage that has a parameter", () => {
		expect(problemsOf("s3", { endpoint_url: HIDDEN })).toEqual([
			{ parameter: "endpoint_url", reason: "is spelled endpointUrl here." },
		]);
		expect(problemsOf("hf", { accountKey: HIDDEN })[0]?.reason).toContain("storage.az");
		expect(problemsOf("file", { anon: true })[0]?.reason).toContain("takes no parameters");
		expect(problemsOf("s3", { constructor: 1 })).toHaveLength(1);
	});

	test("that is only for client_config is not warned of what the environment alone cannot do", () => {
		const config = {
			kind: "s3",
			parameters: { versionAware: true, useSsl: true, clientKwargs: { use_ssl: false } },
		};
		expect(checkStorage(config, known).warnings).toHaveLength(2);
		expect(checkStorage(config, known, "clientConfig").warnings).toEqual([expect.stringContaining("useSsl")]);
	});

	test("refuses dictionaries that are not plain JSON", () => {
		let deep: unknown = 1;
		for (let level = 0; level < 100; level += 1) deep = { deep };
		for (const value of [{ when: new Date() }, { call: () => 1 }, { big: 1n }, { nan: Number.NaN }, deep]) {
			expect(problemsOf("s3", { clientKwargs: value })).toHaveLength(1);
		}
	});
});
