import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import {
	checkParameterNames,
	checkStorage,
	STORAGE_KINDS,
	STORAGES,
	type StorageKind,
} from "../../../src/storage/rules";

type Parameters = Record<string, unknown>;

/** The name of a rule, the parameter that it is about, parameters that break it and some that keep it, and what is said if that depends on them. */
type Case = readonly [
	rule: string,
	about: string,
	broken: Parameters,
	kept: Parameters,
	says?: string,
];
type Cases = Readonly<Partial<Record<StorageKind, readonly Case[]>>>;

/** Stands in every case where a credential would: it must never be seen in a text. */
const HIDDEN = "hidden-value";
const [key, token, sas] = [{ key: HIDDEN }, { token: HIDDEN }, { sasToken: HIDDEN }];
const pair = { ...key, secret: HIDDEN };
const anon = { anon: true };
const project = { project: "p" };
const tokenFile = { token: { private_key: HIDDEN } };
const account = { accountName: "images" };
const principal = { clientId: "c", clientSecret: HIDDEN, tenantId: "t" };
const connection = { connectionString: `AccountName=images;AccountKey=${HIDDEN}` };
const inClient = (...names: string[]) => ({
	clientKwargs: Object.fromEntries(names.map((name) => [name, HIDDEN])),
});
const host = (accountHost: string) => ({ ...account, accountHost });
const blob = { accountHost: "blob.example.com" };
const at = (endpointUrl: string) => ({ endpointUrl });
const strings = (broken: string, kept: string): [Parameters, Parameters] => [
	{ connectionString: broken },
	{ connectionString: kept },
];

const ID = "aws_access_key_id";
const ANONYMOUS = "anonymous access together with credentials";
const ENDPOINT = "endpointUrl is not an endpoint";
const KWARGS = "kwargs repeats a parameter";
const TOKEN_TEXT = "token is the text of a token dictionary";
const NO_HOST = "account host is not a host";
const NO_CONNECTION = "not a connection string";
const PAYS = "anonymous requester pays";
const TOGETHER =
	"cannot be true together with sasToken, clientId, clientSecret and tenantId. Remove one of the two.";

/** What is refused at preview. */
const errors: Cases = {
	s3: [
		[ANONYMOUS, "anon", { ...anon, ...pair }, { anon: false, ...pair }],
		[
			ANONYMOUS,
			"anon",
			{ ...anon, ...inClient("aws_access_key_id") },
			{ ...anon, ...inClient("region_name") },
		],
		["key without secret", "key", key, pair],
		["secret without key", "secret", { secret: HIDDEN }, pair],
		["session token without key", "token", token, { ...token, ...pair }],
		[
			ENDPOINT,
			"endpointUrl",
			at(`https://user:${HIDDEN}@minio`),
			at("http://[::1]:9000/prefix"),
		],
		[ENDPOINT, "endpointUrl", at("https://minio?x=1"), at("HTTPS://minio")],
		[ENDPOINT, "endpointUrl", at("https://minio/a b"), at("https://minio/a/b/")],
		[
			"live asynchronous mode",
			"asynchronous",
			{ asynchronous: true },
			{ asynchronous: false },
		],
		[
			KWARGS,
			"kwargs",
			{ kwargs: { endpoint_url: HIDDEN } },
			{ kwargs: { profile: HIDDEN } },
		],
		[KWARGS, "kwargs", { kwargs: { username: HIDDEN } }, {}],
	],
	gs: [
		[
			ENDPOINT,
			"endpointUrl",
			at("http://localhost:4443/"),
			at("http://localhost:4443"),
		],
		[ENDPOINT, "endpointUrl", at("localhost:4443"), at("https://storage.example.com")],
		[TOKEN_TEXT, "token", { token: `{"private_key":"${HIDDEN}"}` }, tokenFile],
		[
			"empty token dictionary",
			"token",
			{ token: {} },
			{ token: { refresh_token: HIDDEN } },
		],
	],
	az: [
		[
			ANONYMOUS,
			"anon",
			{ ...account, ...principal, ...anon, ...sas },
			{ ...account, ...anon },
			TOGETHER,
		],
		["no account name", "accountName", { accountKey: HIDDEN }, connection],
		["no account name", "accountName", { anon: false }, anon],
		[
			"account host without account name",
			"accountHost",
			blob,
			{ ...blob, ...connection },
		],
		[
			NO_HOST,
			"accountHost",
			host("https://blob.example.com"),
			host("127.0.0.1:10000/images"),
		],
		[
			NO_HOST,
			"accountHost",
			host("blob.example.com:"),
			host("blob.example.com:443/a/b"),
		],
		[NO_HOST, "accountHost", host(`user@${HIDDEN}`), host("blob/a@b")],
		[
			"incomplete service principal",
			"clientId",
			{ ...account, clientId: "c", tenantId: "t" },
			{ ...connection, tenantId: "t" },
			"is part of a service principal, which needs clientId, clientSecret and tenantId; missing: clientSecret.",
		],
		[NO_CONNECTION, "connectionString", { connectionString: HIDDEN }, connection],
		[NO_CONNECTION, "connectionString", ...strings("AccountName=", "AccountName=a;")],
		[
			NO_CONNECTION,
			"connectionString",
			...strings("AccountName=a;Key", "A=a;B=b;C=c;"),
		],
	],
	hf: [
		[
			"endpoint is not an endpoint",
			"endpoint",
			{ endpoint: `https://u:${HIDDEN}@hub` },
			{ endpoint: "https://hub.example.com/mirror" },
		],
	],
};

const ignored = (names: string): string =>
	`overrides ${names}, ignored here. Remove one of the two.`;
const unused = (names: string): string =>
	`and the rest of the service principal are not used: ${names} given as well.`;
const repeated = inClient(
	ID,
	"aws_secret_access_key",
	"aws_session_token",
	"endpoint_url",
);
const wins = { clientKwargs: { use_ssl: false } };

/** What is warned of at preview, and used all the same. */
const warnings: Cases = {
	s3: [
		[
			"client_kwargs repeats a parameter",
			"clientKwargs",
			{ ...pair, ...token, endpointUrl: "http://minio", ...repeated },
			inClient("endpoint_url"),
			"repeats endpointUrl, key, secret and token; the parameter wins and the value here is left out.",
		],
		["use_ssl in client_kwargs wins", "useSsl", { useSsl: false, ...wins }, wins],
		[
			PAYS,
			"requesterPays",
			{ ...anon, requesterPays: true },
			{ ...anon, requesterPays: false },
		],
		[
			"blocks too small to write",
			"defaultBlockSize",
			{ defaultBlockSize: 5_242_879 },
			{},
		],
		["versionAware has no effect in a job", "versionAware", { versionAware: true }, {}],
		[
			"configKwargs has no effect in a job",
			"configKwargs",
			{ configKwargs: { proxies: HIDDEN } },
			{},
		],
		[
			"cacheRegions has no effect in a job",
			"cacheRegions",
			{ cacheRegions: false },
			{},
		],
	],
	gs: [
		[
			"token is a path",
			"token",
			{ token: `/home/${HIDDEN}.json` },
			{ token: "google_default" },
		],
		["token is a path", "token", { token: "Anon" }, tokenFile],
		["token of a person's machine", "token", { token: "browser" }, { token: "cloud" }],
		[
			"project ignored with anonymous access",
			"project",
			{ ...project, token: "anon" },
			project,
		],
		[
			"project overridden by the default credentials",
			"project",
			{ ...project, token: "google_default" },
			{ ...project, token: "cloud" },
		],
		[
			PAYS,
			"requesterPays",
			{ requesterPays: "p", token: "anon" },
			{ requesterPays: false, token: "anon" },
		],
		[
			"secure_serialize is deprecated",
			"secureSerialize",
			{ secureSerialize: false },
			{},
		],
		[
			"versionAware has no effect in a job",
			"versionAware",
			{ versionAware: false },
			{},
		],
	],
	az: [
		[
			"anonymous access without an account name",
			"accountName",
			anon,
			{ ...anon, ...account },
		],
		[
			"connection string overrides",
			"connectionString",
			{ ...connection, ...account, ...principal, ...blob, ...sas, credential: HIDDEN },
			connection,
			ignored(
				"accountName, accountHost, sasToken, credential, clientId, clientSecret and tenantId",
			),
		],
		[
			"account key wins over the SAS token",
			"sasToken",
			{ ...account, accountKey: HIDDEN, ...sas },
			{ ...account, ...sas },
		],
		[
			"credential wins over the account key",
			"accountKey",
			{ ...account, accountKey: HIDDEN, credential: HIDDEN },
			{ ...account, accountKey: HIDDEN },
		],
		[
			"service principal not used",
			"clientId",
			{ ...account, ...principal, ...sas },
			{ ...connection, ...principal, ...sas },
			unused("sasToken"),
		],
		[
			"service principal not used",
			"clientId",
			{ ...account, ...principal, accountKey: HIDDEN, ...sas, credential: HIDDEN },
			{ ...account, ...principal },
			unused("accountKey, sasToken and credential"),
		],
		[
			"versionAware has no effect in a job",
			"versionAware",
			{ ...account, versionAware: true },
			account,
		],
	],
	hf: [["token of a person's machine", "token", { token: true }, { token: false }]],
};

const CASES = { errors, warnings };
const casesOf = (level: keyof typeof CASES, kind: StorageKind): readonly Case[] =>
	CASES[level][kind] ?? [];

const known = () => false;
const UNKNOWN = "the value that is not known yet";
const isUnknown = (value: unknown) => value === UNKNOWN;
const problemsOf = (kind: StorageKind, parameters: Parameters) =>
	checkStorage({ kind, parameters }, known).problems;
const warningsOf = (kind: StorageKind, parameters: Parameters) =>
	checkStorage({ kind, parameters }, known).warnings;

const LEVELS = ["errors", "warnings"] as const;

/** The cases of all rules, with what a rule says whatever the values. */
const [ERRORS, WARNINGS] = LEVELS.map((level) =>
	STORAGE_KINDS.flatMap((kind) =>
		casesOf(level, kind).map(([name, parameter, broken, kept, says]) => {
			const fixed = STORAGES[kind][level].find((rule) => rule.name === name)?.message;
			return [kind, name, parameter, says ?? String(fixed), broken, kept] as const;
		}),
	),
) as [Rows, Rows];
type Rows = (readonly [StorageKind, string, string, string, Parameters, Parameters])[];

test.each(LEVELS)(
	"every rule has a case here, and says in a sentence what to do: %s",
	(level) => {
		for (const kind of STORAGE_KINDS) {
			const rules = STORAGES[kind][level];
			expect(new Set(casesOf(level, kind).map(([name]) => name))).toEqual(
				new Set(rules.map(({ name }) => name)),
			);
			for (const { message } of rules)
				if (typeof message === "string") expect(message).toMatch(/^[a-z]+ .{10,}\.$/);
		}
	},
);

test.each(ERRORS)(
	"refused at preview: %s: %s",
	(kind, _, parameter, says, broken, kept) => {
		const found = problemsOf(kind, broken).filter(
			(problem) => problem.parameter === parameter,
		);
		expect(found.map(({ reason }) => reason)).toEqual([says]);
		expect(problemsOf(kind, kept)).toEqual([]);
	},
);

test.each(WARNINGS)(
	"warned of at preview: %s: %s",
	(kind, _, parameter, says, broken, kept) => {
		expect(problemsOf(kind, broken)).toEqual([]);
		const about = (parameters: Parameters) =>
			warningsOf(kind, parameters).filter((text) =>
				text.startsWith(`storage.${kind}: ${parameter} `),
			);
		expect(about(broken)).toEqual([`storage.${kind}: ${parameter} ${says}`]);
		expect(about(kept)).toEqual([]);
	},
);

test.each(['{"type":"authorized_user"}', ' {"a":1}'])(
	"what is refused as a text is no path as well: %s",
	(token) => {
		expect(problemsOf("gs", { token })).toHaveLength(1);
		expect(warningsOf("gs", { token })).toEqual([]);
	},
);

test.each([...ERRORS, ...WARNINGS])(
	"%s: %s never shows a value, and waits for values that are not known yet",
	(kind, _name, parameter, _says, broken) => {
		expect(
			JSON.stringify(checkStorage({ kind, parameters: broken }, known)),
		).not.toContain(HIDDEN);
		const parameters = Object.fromEntries(
			Object.keys(broken).map((name) => [name, UNKNOWN]),
		);
		const found = checkStorage({ kind, parameters }, isUnknown);
		expect(found.problems.filter((problem) => problem.parameter in broken)).toEqual([]);
		expect(found.warnings.filter((text) => text.includes(`: ${parameter} `))).toEqual(
			[],
		);
	},
);

describe("the shape of a config", () => {
	test("is not judged while it, its kind or its parameters are not known", () => {
		const kind = { kind: UNKNOWN, parameters: { a: 1 } };
		for (const config of [UNKNOWN, kind, { kind: "s3", parameters: UNKNOWN }])
			expect(checkStorage(config, isUnknown)).toEqual({ problems: [], warnings: [] });
	});

	test("with something unknown deep in a dictionary still has its other parameters checked", () => {
		const parameters = { token: { private_key: UNKNOWN }, access: "admin" };
		expect(checkStorage({ kind: "gs", parameters }, isUnknown).problems).toEqual([
			{ parameter: "access", reason: expect.stringContaining('"read_only"') },
		]);
	});

	const kinds = STORAGE_KINDS.join(", ");
	const MADE = `must be made with storage.${kinds} or forUri.`;
	const KIND = `has no known kind. The kinds are ${kinds}.`;
	test.each([
		[undefined, MADE],
		[[], MADE],
		[{ kind: "ftp", parameters: {} }, KIND],
		[{ kind: "constructor" }, KIND],
		[{ kind: "s3", parameters: [] }, "must have its parameters in a dictionary."],
	])("%j is refused", (config, reason) => {
		expect(checkStorage(config, known)).toEqual({
			problems: [{ parameter: "", reason }],
			warnings: [],
		});
	});

	test.each<[StorageKind, string, string]>([
		["s3", "endpoint_url", "is spelled endpointUrl here."],
		[
			"hf",
			"endPoint",
			'is no parameter of storage.hf, which takes token, endpoint. Did you mean "endpoint"?',
		],
		[
			"hf",
			"constructor",
			"is no parameter of storage.hf, which takes token, endpoint.",
		],
		[
			"file",
			"anon",
			"is no parameter of storage.file, which takes no parameters. It belongs to storage.s3, storage.az.",
		],
	])("of %s has no %s", (kind, parameter, reason) => {
		expect(problemsOf(kind, { [parameter]: HIDDEN })).toEqual([{ parameter, reason }]);
		expect(checkParameterNames(kind, [parameter])).toEqual([{ parameter, reason }]);
		// Its name is wrong whatever its value will be.
		const unknown = checkStorage(
			{ kind, parameters: { [parameter]: UNKNOWN } },
			isUnknown,
		);
		expect(unknown.problems).toEqual([{ parameter, reason }]);
	});

	test("is not judged by rules where a parameter that decides is wrong by itself", () => {
		expect(problemsOf("s3", { key: 7 })).toEqual([
			{ parameter: "key", reason: "must be a string." },
		]);
		expect(problemsOf("s3", { secret: HIDDEN, clientKwargs: [] })).toEqual([
			{
				parameter: "clientKwargs",
				reason: "must be a dictionary of plain JSON values.",
			},
		]);
	});

	test.each<[StorageKind, Parameters, string]>([
		["s3", { anon: "yes" }, "must be true or false."],
		["s3", { defaultCacheType: "" }, "must not be empty; null disables caching."],
		["s3", { maxConcurrency: 1.5 }, "must be a whole number."],
		["s3", { maxConcurrency: 0 }, "must be 1 or more."],
		[
			"s3",
			{ session: {} },
			"is a live Python session, which JSON cannot carry: leave it out, and the library creates its own.",
		],
		[
			"gs",
			{ access: "admin" },
			'must be one of "read_only", "read_write", "full_control".',
		],
		[
			"gs",
			{ access: "read-onli" },
			'must be one of "read_only", "read_write", "full_control". Did you mean "read_only"?',
		],
		["gs", { cacheTimeout: "5" }, "must be a number of seconds."],
		[
			"gs",
			{ token: 5 },
			'must be a token dictionary, a path or a word such as "anon".',
		],
		["gs", { token: "" }, "must not be empty."],
		["gs", { requesterPays: 1 }, "must be true, false or the project to bill."],
		["hf", { token: 1 }, "must be a token, or true or false."],
	])("of %s with %j says what must be there", (kind, parameters, reason) => {
		expect(problemsOf(kind, parameters)).toEqual([
			{ parameter: Object.keys(parameters)[0], reason },
		]);
	});

	test("that is only for client_config is not warned of what the environment alone cannot do", () => {
		const parameters = {
			versionAware: true,
			useSsl: true,
			clientKwargs: { use_ssl: false },
		};
		const config = { kind: "s3", parameters };
		expect(checkStorage(config, known).warnings).toHaveLength(2);
		expect(checkStorage(config, known, "clientConfig").warnings).toEqual([
			expect.stringContaining("useSsl"),
		]);
	});

	test("takes dictionaries of plain JSON", () => {
		const nested = {
			list: [1, "a", null, [true, {}]],
			nothing: undefined,
			bare: Object.create(null),
		};
		const elsewhere = runInNewContext("({ made: { in: ['another', 'realm'] } })");
		for (const value of [{}, nested, elsewhere, within(64)]) {
			expect(problemsOf("s3", { clientKwargs: value })).toEqual([]);
		}
	});

	test("refuses dictionaries that are not plain JSON", () => {
		class Made {}
		for (const value of [
			[],
			new Made(),
			{ when: new Date() },
			{ list: [1, [Number.POSITIVE_INFINITY]] },
			{ list: [undefined] },
			within(65),
		]) {
			expect(problemsOf("s3", { clientKwargs: value })).toEqual([
				{
					parameter: "clientKwargs",
					reason: "must be a dictionary of plain JSON values.",
				},
			]);
		}
	});
});

/** So many dictionaries, each in the one before. */
function within(levels: number): unknown {
	let deep: unknown = 1;
	for (let level = 0; level < levels; level += 1) deep = { deep };
	return deep;
}
