import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DriftReport } from "../../src/commands/drift-report";
import type { LocalServer } from "../../src/server";
import { must } from "../../tools/process/must";
import { run } from "../../tools/process/run";
import { tempFolder } from "../../tools/process/temp-folder";
import { type TestDeployment, testDeployment } from "../helpers/e2e-deployment";
import { repository } from "../helpers/engine";
import { apiOf } from "../helpers/server-harness";

/**
 * CONTRIBUTING.md says which files a change touches. Here one change of each sort is made to a copy of the sources in
 * these files alone; the copy is compiled and deployed.
 */
type Edit = (text: string) => string;
type Recipe = Readonly<Record<string, Edit>>;

const put =
	(before: string, added: string): Edit =>
	(text) => {
		if (!text.includes(before)) throw new Error(`The place of the change is gone: ${before}`);
		return text.replace(before, `${added}${before}`);
	};
const all =
	(...edits: readonly Edit[]): Edit =>
	(text) =>
		edits.reduce((done, edit) => edit(done), text);
const file =
	(content: string): Edit =>
	() =>
		content;

const FIELD: Recipe = {
	"src/provider/schedule.ts": put(
		'	teamName: { schema: teamName, change: "replace" },',
		'	note: { schema: z.string().optional(), wire: "note", sent: ["create", "update"], change: "update", ' +
			"read: (live) => live.note },\n",
	),
	"src/resources/pipeline-schedule.ts": all(
		put(
			"	/** Team to work in.",
			"	/** What people should know of it. */\n	note?: pulumi.Input<string>;\n",
		),
		put('"adopt"];', '"note", '),
		put("	declare readonly teamName:", "	declare readonly note: pulumi.Output<string | undefined>;\n"),
	),
	"src/schemas/schedule.ts": all(
		put("	next_run: timestamp", "	note: z.string().nullish(),\n"),
		put("	pipeline_name: z.string()", "	note: z.string().optional(),\n"),
		put("	pause_pipeline:", "	note: z.string().optional(),\n"),
	),
};

/** Two endpoints, one to write a text and one to read it. */
const ENDPOINT: Recipe = {
	"src/schemas/endpoints.ts": put(
		"	listClusters: read({",
		`	setLabel: write({
		group: "pipelines", path: "/datachain/label", summary: "Set the label", retry: "always",
		body: { ...inTeam, text: z.string() }, reply: z.object({ text: z.string() }),
	}),
	getLabel: read({
		group: "pipelines", path: "/datachain/label", summary: "Read the label", query: inTeam,
		reply: z.object({ text: z.string() }),
	}),
`,
	),
	"src/api/client.ts": put(
		'	settings: method(caller, "updateSettings"),',
		'	setLabel: method(caller, "setLabel"),\n	label: method(caller, "getLabel"),\n',
	),
	"src/server/handlers.ts": all(
		put("/** What each endpoint does.", 'let label = { text: "" };\n'),
		put(
			"	listClusters: (",
			"	setLabel: ({ input }) => (label = { text: input.text }),\n	getLabel: () => label,\n",
		),
	),
};

const RESOURCE: Recipe = {
	"src/schemas/kinds.ts": put(
		"	JobFile: {",
		'	Label: { entry: "label", called: "Label", nameField: "text", deleteFirst: false, secretOutputs: [] },\n',
	),
	"src/provider/hosting.ts": put(
		"	JobFile: () =>",
		'	Label: () => (require("./label") as typeof import("./label")).label,\n',
	),
	"src/provider/index.ts": put(
		"/** The form that states",
		'export const label = (): DynamicProvider => dynamicProvider("Label");\n\n',
	),
	"src/provider/label.ts": file(`
import { z } from "zod";
import { teamName } from "../schemas/primitives";
import type { Call } from "./context";
import { frame } from "./lifecycle";
import { checkFields, diffByTable, type Table } from "./table";
const fields: Table<never> = {
	text: { schema: z.string("must be a string"), change: "update" },
	teamName: { schema: teamName, change: "replace" },
};
const set = (call: Call, text: unknown) => call.client.pipelines.setLabel({ text: String(text) });
export const label = frame({
	kind: "Label",
	fields,
	identity: "text",
	check: async (_, olds, inputs) => ({ inputs, problems: checkFields(fields, olds, inputs) }),
	diff: (_, olds, news) => diffByTable(fields, olds, news),
	create: async (call, inputs) => ({ id: "1", outs: { ...inputs, ...(await set(call, inputs.text)) } }),
	read: async (call, id, outs) => {
		const live = { ...outs, ...(await call.client.pipelines.label({})) };
		return { state: { id, outs: live, inputs: live } };
	},
	update: async (call, _, __, inputs) => ({ ...inputs, ...(await set(call, inputs.text)) }),
	remove: async (call) => void (await set(call, "")),
	words: { kept: () => undefined },
});
`),
	"src/resources/label.ts": file(`
import type * as pulumi from "@pulumi/pulumi";
import { type Declaration, DynamicResource } from "./base";
export interface LabelArgs { text: pulumi.Input<string>; teamName?: pulumi.Input<string> }
const DECLARATION: Declaration<LabelArgs> = {
	kind: "Label", properties: ["text", "teamName"], optional: [], insteadOfImport: "Leave it out.",
	inputs: (args) => args,
};
export class Label extends DynamicResource<LabelArgs> {
	declare readonly text: pulumi.Output<string>;
	declare readonly teamName: pulumi.Output<string>;
	constructor(name: string, args: LabelArgs, opts?: pulumi.CustomResourceOptions) {
		super(DECLARATION, name, args, opts);
	}
}
`),
	"src/index.ts": put(
		'export * from "./resources/pipeline-schedule";',
		'export * from "./resources/label";\n',
	),
};

const COMMAND: Recipe = {
	"src/commands/label.ts": file(`
import type { Command } from "commander";
import { teamCommand, type TeamOptions, withSession } from "./session";
export const define = (command: Command): Command =>
	teamCommand(command).action((options: TeamOptions) =>
		withSession(options, async ({ client, print }) => {
			const { text } = await client.pipelines.label({});
			print({ text }, () => \`The label is \${text}.\\n\`);
		}),
	);
`),
	"src/commands/main.ts": put(
		'	["clusters",',
		'	["label", "show the label", () => (require("./label") as typeof import("./label")).define],\n',
	),
};

const STORAGE: Recipe = {
	"src/storage/ftp.ts": file(`
import { someText } from "../schemas/primitives";
import { secret, text } from "./parameter";
export const ftpShape = { host: text, password: secret(someText.optional()) };
`),
	"src/storage/kinds.ts": all(
		put("import { gsErrors,", 'import { ftpShape } from "./ftp";\n'),
		put(
			"	hf: {\n		shape: hfShape",
			'	ftp: { shape: ftpShape, errors: [], warnings: [], uri: { form: "ftp://<host>", rest: /^.+$/s }, variable: "FSSPEC_FTP" },\n',
		),
	),
	"src/storage/builders.ts": all(
		put("	FileArgs,", "	FtpArgs,\n"),
		put(
			"function make<",
			'export const ftp = (args: FtpArgs = {}): StorageArgs<"ftp"> => make("ftp", args);\n',
		),
	),
	"src/storage/args.ts": all(
		put(
			"export type StorageKind",
			"export interface FtpArgs { host?: pulumi.Input<string>; password?: pulumi.Input<string> }\n",
		),
		put('"hf" | "file";', '"ftp" | '),
		put("	/** The file system of the job. */", '	ftp?: pulumi.Input<FtpArgs | StorageArgs<"ftp">>;\n'),
	),
};

const RECIPES = { FIELD, ENDPOINT, RESOURCE, COMMAND, STORAGE };

const copy = tempFolder("recipes-");
let server: LocalServer;
let test: TestDeployment;

beforeAll(async () => {
	for (const name of ["src", "tsconfig.json", "package.json", join("tools", "schema")])
		cpSync(join(repository, name), join(copy.path, name), { recursive: true });
	symlinkSync(join(repository, "node_modules"), join(copy.path, "node_modules"));
	for (const [path, edit] of Object.values(RECIPES).flatMap(Object.entries<Edit>)) {
		const place = join(copy.path, path);
		mkdirSync(dirname(place), { recursive: true });
		writeFileSync(place, edit(existsSync(place) ? readFileSync(place, "utf8") : ""));
	}
	const node = (...args: string[]) => must(process.execPath, args, { cwd: copy.path });
	await node("-r", "ts-node/register/transpile-only", "-e", WRITE_WIRE_TYPES);
	await node(join(repository, "node_modules", "typescript", "bin", "tsc"), "-p", copy.path);
	server = await require(join(copy.path, "dist", "server", "index.js")).startServer();
	test = await testDeployment({ program: PROGRAM, env: server.environment });
	unlinkSync(join(test.folder, "node_modules", "pulumi-datachain"));
	symlinkSync(copy.path, join(test.folder, "node_modules", "pulumi-datachain"), "dir");
});
afterAll(async () => {
	await test?.dispose();
	await server?.close();
});

/** The part of `npm run schema` that the compiler needs. */
const WRITE_WIRE_TYPES = `
	const { wireFiles } = require("./tools/schema/wire-types");
	for (const [name, text] of Object.entries(wireFiles())) {
		require("node:fs").writeFileSync("src/schemas/wire/" + name, text);
	}`;

const PROGRAM = `
const datachain = require("pulumi-datachain");
const { note, text } = require("./declared.json")[0];
const pipelineName = "rusty-vise";
new datachain.PipelineSchedule("noted", { pipelineName, cronExpression: "0 3 * * *", note });
new datachain.Label("label", { text });
new datachain.PipelineSettings("settings", {
	pipelineName,
	storage: [datachain.storage.ftp({ host: "ftp.example.com", password: "canary-ftp" })],
});
`;

const declare = (note: string, text: string) => test.declare({ note, text } as never);
const command = (...args: string[]) =>
	run(process.execPath, [join(copy.path, "dist", "commands", "main.js"), ...args], {
		cwd: test.folder,
		env: test.stack.env,
		timeoutMs: 120_000,
	});
/** What the service has, past the provider. */
const live = async () => {
	const api = apiOf(server);
	const schedules = (await api.get("/pipeline/schedules")).json as { schedule_name: string; note?: string }[];
	return {
		note: schedules.find(({ schedule_name }) => schedule_name === "lifecycle-dev-noted")?.note,
		label: (await api.get("/label")).at("text"),
		ftp: (await api.get("/pipeline/status?name=rusty-vise")).at("environment_variables.FSSPEC_FTP"),
	};
};

describe("the recipes of CONTRIBUTING.md", () => {
	it("take the files that they name", () => {
		const files = Object.entries(RECIPES).map(([name, recipe]) => [name, Object.keys(recipe).length]);
		expect(Object.fromEntries(files)).toEqual({ FIELD: 3, ENDPOINT: 3, RESOURCE: 6, COMMAND: 2, STORAGE: 4 });
	});

	it("give a field, a resource and a storage kind that deploy, update and settle", async () => {
		declare("one", "first");
		await test.up();
		await test.expectSettled();
		declare("two", "second");
		await test.up();
		const ftp = JSON.stringify({ host: "ftp.example.com", password: "canary-ftp" });
		expect(await live()).toEqual({ note: "two", label: "second", ftp });
		expect(JSON.stringify(test.stack.checkpoint()) + test.printed()).not.toContain("canary-ftp");
	});

	it("give endpoints, and a command that uses one", async () => {
		expect(await command("label")).toMatchObject({ code: 0, stdout: "The label is second.\n" });
		expect((await command("--help")).stdout).toMatch(/label .*show the label/);
	});

	it("give drift of the field and of the resource, which a deployment repairs", async () => {
		const team = server.team("vision");
		const id = Number((await test.resource("noted")).id);
		team.updateSchedule({ schedule_id: id, note: "by hand" } as never);
		await apiOf(server).post("/label", { text: "by hand" });
		const { code, stdout } = await command("drift", "--stack", "dev", "--json");
		const { changed }: DriftReport = JSON.parse(stdout);
		const found = changed.flatMap(({ resource, fields }) =>
			fields.map(({ field }) => `${resource}.${field}`),
		);
		expect([code, found.sort()]).toEqual([2, ["label.text", "noted.note"]]);
		await test.up(["--refresh"]);
		expect(await live()).toMatchObject({ note: "two", label: "second" });
	});
});
