/** Which folders of src each folder may import from besides itself, and why no others. */
const flow = {
	text: {
		may: [],
		because: "Wording, time, tables and reports do not depend on what is in them.",
	},
	schemas: {
		may: ["text"],
		because: "The objects and endpoints of the API; everything else rests on them.",
	},
	cron: {
		may: ["schemas", "text"],
		because: "Cron expressions and time zones are arithmetic on texts.",
	},
	storage: {
		may: ["schemas", "text"],
		because: "Storage is plain data: builders for programs, rules for who checks.",
	},
	client: {
		may: ["cron", "schemas", "text"],
		because: "The client works without Pulumi and knows nothing of its callers.",
	},
	server: {
		may: ["cron", "schemas", "text"],
		because:
			"A server that shared code with the client would share its mistakes and could not test it. The command passes in the board at its root.",
	},
	lookups: {
		may: ["client", "schemas", "text"],
		because: "A lookup asks the service itself, without provider or resources.",
	},
	operations: {
		may: ["client", "cron", "schemas", "text"],
		because:
			"What can be done with a job or a pipeline is the same for a resource of a program and for a command.",
	},
	provider: {
		may: ["lookups", "operations", "client", "storage", "cron", "schemas", "text"],
		because: "It runs in a process of its own, apart from the program.",
	},
	resources: {
		may: ["storage", "cron", "schemas", "text"],
		because:
			"A resource declares; the provider is loaded by name, and HTTP is never reached.",
	},
	team: {
		may: ["provider", "operations", "client", "cron", "schemas", "text"],
		because:
			"Drift, forecast and what needs attention are facts of a team; no command line is in sight.",
	},
	board: {
		may: ["team", "client", "cron", "schemas", "text"],
		because:
			"The board shows what drift and forecast find out; commands and the server open it.",
	},
	verify: {
		may: ["client", "cron", "schemas", "text"],
		because:
			"It looks at the service itself, past everything that would smooth a difference.",
	},
	commands: {
		may: [
			"schemas",
			"cron",
			"storage",
			"client",
			"operations",
			"server",
			"provider",
			"text",
			"team",
			"board",
			"verify",
		],
		because:
			"A command never is a Pulumi program, so it has no use for resources and lookups.",
	},
	index: {
		may: ["resources", "lookups", "storage", "schemas", "text"],
		because:
			"The main entry point holds what a program uses; provider, client and server have their own.",
	},
};

/** The parts of a room that may import less than the room: what each may import besides itself, and why no more. */
const parts = {
	export: {
		files: "^src/commands/export/",
		may: [
			"^src/(storage|cron|schemas|text)/",
			"^src/provider/kinds/(schedule|settings)/fields.ts$",
			"^src/provider/model/table.ts$",
		],
		because:
			"The exporter is pure: the command reads and writes for it. What a field is, the provider's tables say.",
	},
	drift: {
		files: "^src/team/(drift|stack)-",
		may: ["^src/(provider|operations|client|cron|schemas|text)/"],
		because:
			"Drift is what the provider's own handlers see; it needs no program and no forecast.",
	},
	forecast: {
		files: "^src/team/forecast-",
		may: [
			"^src/team/(drift|stack)-",
			"^src/(operations|client|cron|schemas|text)/",
			"^src/provider/model/props.ts$",
		],
		because: "A forecast reads the state as drift does, and the rest is arithmetic.",
	},
	doctor: {
		files: "^src/commands/doctor/",
		may: ["^src/(client|schemas|text)/", "^src/commands/project-file\\.ts$"],
		because: "The doctor must work where the provider does not.",
	},
};

/** Packages that one place alone may import. */
const owners = {
	undici: {
		only: "^src/client/transport\\.ts$",
		because: "One transport: every request gets the same pool, deadline and redaction.",
	},
	ws: {
		only: "^src/(client/log-stream|server/logs)\\.ts$",
		because: "WebSockets are for following logs, one file on each side.",
	},
	"@pulumi/pulumi": {
		only: "^src/((resources|lookups|provider/hosts/plugin)/|storage/(args|builders|lazy-rules)\\.ts$|index\\.ts$)",
		because:
			"Only what runs in the user's program may need Pulumi; everything else runs without it.",
	},
	hono: { only: "^src/server/", because: "The web framework is the local server's." },
	"@hono/node-server": {
		only: "^src/(server/|board/http\\.ts$)",
		because: "Requests come in at the local server and at the board.",
	},
	"smol-toml": {
		only: "^src/client/connection\\.ts$",
		because:
			"Only the files of the service's own client are TOML, and only who needs them loads it.",
	},
	commander: {
		only: "^src/commands/[^/]+\\.ts$",
		because: "Only a command's own file parses a command line.",
	},
	cronstrue: {
		only: "^src/cron/",
		because: "It words expressions that our parser has screened first.",
	},
};

const folder = (name) => (name === "index" ? "^src/index\\.ts$" : `^src/${name}/`);
const folders = Object.keys(flow).map(folder);
// A package that is not installed keeps its bare name.
const packaged = (name) => `(^|node_modules/)${name}(/|$)`;
const rule = (name, comment, from, to) => ({
	name,
	comment,
	severity: "error",
	from,
	to,
});

const flowRules = Object.entries(flow).map(([name, { may, because }]) =>
	rule(
		`flow-${name}`,
		because,
		{ path: folder(name) },
		{ path: "^src/", pathNot: [name, ...may].map(folder) },
	),
);

const partRules = Object.entries(parts).map(([name, { files, may, because }]) =>
	rule(
		`flow-part-${name}`,
		because,
		{ path: files },
		{ path: "^src/", pathNot: [files, ...may] },
	),
);

const ownerRules = Object.entries(owners).map(([name, { only, because }]) =>
	rule(
		`only-owner-imports-${name.replace("@", "").replace("/", "-")}`,
		because,
		{ path: "^src/", pathNot: only },
		{ path: packaged(name) },
	),
);

/** @type {import("dependency-cruiser").IConfiguration} */
module.exports = {
	forbidden: [
		...flowRules,
		...partRules,
		...ownerRules,
		rule(
			"folder-without-rule",
			"A new folder of src says in this file where it stands in the flow.",
			{ path: "^src/", pathNot: folders },
			{},
		),
		rule(
			"no-cycle",
			"Modules in a cycle see each other half loaded.",
			{},
			{ circular: true, viaOnly: { dependencyTypesNot: ["type-only", "type-import"] } },
		),
		rule(
			"no-cycle-of-types",
			"Two files that need each other's types are one subject: a type that both need has a file of its own.",
			{ path: "^src/" },
			{ circular: true },
		),
		rule(
			"not-by-own-name",
			"Source that imports the package by name runs the last build, not itself.",
			{ path: "^src/" },
			{ path: ["^dist/", packaged("pulumi-datachain")] },
		),
		rule(
			"provider-entry-stands-apart",
			"The build makes one file of it; who imports it gets a second copy of every module.",
			{ path: "^src/" },
			{ path: "^src/provider/index\\.ts$" },
		),
		rule(
			"storage-builders-are-for-programs",
			"The builders need Pulumi; what checks or renders a storage elsewhere imports its rules.",
			{ path: "^src/", pathNot: "^src/(storage|resources)/|^src/index\\.ts$" },
			{ path: "^src/storage/(index|args|builders|lazy-rules)\\.ts$" },
		),
		rule(
			"no-sockets-of-its-own",
			"Outside the servers every request goes through the transport, or the proxy's tunnel below it; types of node:http are fine.",
			{ path: "^src/", pathNot: "^src/(server/|board/http\\.ts$|client/proxy\\.ts$)" },
			{ path: "^(https?|http2|net|tls)$", dependencyTypesNot: ["type-only"] },
		),
		rule(
			"src-stands-alone",
			"What is published cannot import what is not.",
			{ path: "^src/" },
			{ path: "^(test|tools|bench|examples)/" },
		),
		rule(
			"declared-dependencies-only",
			"A user's install has the dependencies and the peer dependencies, nothing else.",
			// The plugin is bundled whole; gRPC and its messages are those of the SDK. So is the board's page.
			{ path: "^src/", pathNot: "^src/(provider/hosts/plugin|board/page)/" },
			{
				dependencyTypes: ["npm-dev", "npm-no-pkg", "npm-unknown"],
				dependencyTypesNot: ["npm-peer"],
			},
		),
		rule(
			"imports-exist",
			"A module that cannot be found would escape every other rule.",
			{ path: "^src/" },
			{ couldNotResolve: true },
		),
		rule(
			"server-is-tested-from-outside",
			"Tests of the server speak HTTP, so that they judge it without the client's code.",
			{ path: "^test/(contract/server-|unit/server/|helpers/server-)" },
			{ path: "^src/(client|provider|resources|lookups)/" },
		),
		rule(
			"benches-run-without-vitest",
			"A bench is a program of its own, where Vitest cannot be loaded: what it shares with tests does not need it.",
			{ path: "^bench/" },
			{ path: packaged("vitest"), reachable: true },
		),
		rule(
			"tests-import-no-bench",
			"A bench may use what the tests share; the tests stand without the benches.",
			{ path: "^test/" },
			{ path: "^bench/" },
		),
		rule(
			"examples-are-programs-of-users",
			"An example imports the package as a user does.",
			{ path: "^examples/" },
			{ path: "^(src|test|tools|bench)/" },
		),
	],
	options: {
		// Types count: they are compiled into the declarations that users load.
		tsPreCompilationDeps: true,
		doNotFollow: { path: ["node_modules", "^dist/"] },
		exclude: { path: "^test/fixtures/" },
		enhancedResolveOptions: {
			exportsFields: ["exports"],
			conditionNames: ["require", "node", "default", "types"],
		},
	},
};
