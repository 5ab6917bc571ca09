/** Which folders of src each folder may import from besides itself, and why no others. */
const flow = {
	schemas: { may: [], because: "Everything rests on the schemas; they are leaves." },
	api: { may: ["schemas"], because: "The client works without Pulumi and knows nothing of its callers." },
	server: {
		may: ["schemas"],
		because: "A server that shared code with the client would share its mistakes and could not test it.",
	},
	boundary: {
		may: [],
		because: "What it imports would end up in the state; the provider is loaded by name, never imported.",
	},
	provider: { may: ["api", "schemas"], because: "It runs in a process of its own, apart from the program." },
	plugin: {
		may: ["provider", "functions", "boundary", "api", "schemas"],
		because: "The second host: handlers and lookups for the engine itself, in a process without a program.",
	},
	storage: { may: ["schemas"], because: "The storage builders are plain data of the user's program." },
	resources: {
		may: ["boundary", "storage", "schemas"],
		because: "A resource declares; it reaches the provider through the boundary, and HTTP never.",
	},
	functions: {
		may: ["api", "schemas"],
		because: "A lookup asks the service itself, without provider or resources.",
	},
	export: { may: ["schemas"], because: "The exporter is pure: the command reads and writes for it." },
	report: { may: [], because: "How tables are shown does not depend on what is in them." },
	drift: {
		may: ["provider", "api", "schemas", "report"],
		because: "Drift is what the provider's own handlers see; it needs no program and no other command.",
	},
	forecast: {
		may: ["drift", "api", "schemas", "report"],
		because: "A forecast reads the state as drift does, and the rest is arithmetic.",
	},
	doctor: {
		may: ["boundary", "api", "schemas"],
		because: "The doctor must work where the provider does not.",
	},
	cli: {
		may: ["schemas", "api", "server", "provider", "boundary", "drift", "doctor", "export", "forecast"],
		because: "A command never is a Pulumi program, so it has no use for resources and lookups.",
	},
	index: {
		may: ["resources", "functions", "storage", "schemas"],
		because: "The main entry point holds what a program uses; provider, client and server have their own.",
	},
};

/** Packages that one place alone may import. */
const owners = {
	undici: {
		only: "^src/api/transport\\.ts$",
		because: "One transport: every request gets the same pool, deadline and redaction.",
	},
	ws: {
		only: "^src/(api/logs|server/http)/log-socket\\.ts$",
		because: "WebSockets are for following logs, one file on each side.",
	},
	"@pulumi/pulumi": {
		only: "^src/((resources|functions|storage|boundary|plugin)/|index\\.ts$)",
		because: "Only what runs in the user's program may need Pulumi; everything else runs without it.",
	},
	hono: { only: "^src/server/http/", because: "The web framework stays at the server's edge." },
	"@hono/node-server": {
		only: "^src/server/http/",
		because: "The web framework stays at the server's edge.",
	},
	"@fastify/busboy": { only: "^src/server/http/", because: "Uploads are taken apart at the server's edge." },
	"smol-toml": {
		only: "^src/api/login/",
		because: "Only the files of the service's own client are TOML, and only who needs them loads it.",
	},
	commander: { only: "^src/cli/", because: "Only commands parse a command line." },
	cronstrue: {
		only: "^src/schemas/cron/",
		because: "It words expressions that our parser has screened first.",
	},
};

const folder = (name) => (name === "index" ? "^src/index\\.ts$" : `^src/${name}/`);
const folders = Object.keys(flow).map(folder);
// A package that is not installed keeps its bare name.
const packaged = (name) => `(^|node_modules/)${name}(/|$)`;
const rule = (name, comment, from, to) => ({ name, comment, severity: "error", from, to });

const flowRules = Object.entries(flow).map(([name, { may, because }]) =>
	rule(
		`flow-${name}`,
		because,
		{ path: folder(name) },
		{ path: "^src/", pathNot: [name, ...may].map(folder) },
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
		...ownerRules,
		rule(
			"folder-without-rule",
			"A new folder of src says in this file where it stands in the flow.",
			{ path: "^src/", pathNot: folders },
			{},
		),
		rule(
			"no-cycle",
			"Modules in a cycle see each other half loaded; types alone do no harm.",
			{},
			{ circular: true, viaOnly: { dependencyTypesNot: ["type-only", "type-import"] } },
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
			"no-sockets-of-its-own",
			"Outside the server every request goes through the transport, or the proxy's tunnel below it; types of node:http are fine.",
			{ path: "^src/", pathNot: "^src/(server/|api/proxy\\.ts$)" },
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
			// The plugin is bundled whole; gRPC and its messages are those of the SDK.
			{ path: "^src/", pathNot: "^src/plugin/" },
			{ dependencyTypes: ["npm-dev", "npm-no-pkg", "npm-unknown"], dependencyTypesNot: ["npm-peer"] },
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
			{ path: "^src/(api|provider|resources|functions)/" },
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
