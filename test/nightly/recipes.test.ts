import { cpSync, readFileSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DriftReport } from "../../src/commands/drift-report";
import type { LocalServer } from "../../src/server";
import { must } from "../../tools/process/must";
import { run } from "../../tools/process/run";
import { tempFolder } from "../../tools/process/temp-folder";
import { type TestDeployment, testDeployment } from "../helpers/e2e-deployment";
import { repository } from "../helpers/engine";

/**
 * CONTRIBUTING.md says which files a change touches. Here a field and a resource are added to a copy of the sources in
 * these files alone; the copy is compiled and deployed.
 */
type Recipe = Readonly<Record<string, string | readonly (readonly [before: string, added: string])[]>>;

const FIELD: Recipe = {
	"src/provider/schedule.ts": [
		[
			'	teamName: { schema: teamName, change: "replace" },',
			'	note: { schema: z.string().optional(), wire: "note", sent: ["create", "update"], change: "update", ' +
				"read: (live) => live.note },\n",
		],
	],
	"src/resources/pipeline-schedule.ts": [
		["	/** Team to work in.", "	/** What people should know of it. */\n	note?: pulumi.Input<string>;\n"],
		['"adopt"];', '"note", '],
		["	declare readonly teamName:", "	declare readonly note: pulumi.Output<string | undefined>;\n"],
	],
	"src/schemas/schedule.ts": [
		["	next_run: shown(", "	note: z.string().nullish(),\n"],
		["	pipeline_name: z.string()", "	note: z.string().optional(),\n"],
		["	pause_pipeline:", "	note: z.string().optional(),\n"],
	],
};

/** A text that is kept as the requirements of a pipeline which nothing else uses. */
const RESOURCE: Recipe = {
	"src/schemas/kinds.ts": [
		[
			"	JobFile: {",
			'	Label: { entry: "label", called: "Label", nameField: "text", deleteFirst: false, secretOutputs: [] },\n',
		],
	],
	"src/provider/hosting.ts": [
		["	JobFile: () =>", '	Label: () => (require("./label") as typeof import("./label")).label,\n'],
	],
	"src/provider/index.ts": [
		["/** The form that states", 'export const label = (): DynamicProvider => dynamicProvider("Label");\n\n'],
	],
	"src/provider/label.ts": `
import { z } from "zod";
import { teamName } from "../schemas/primitives";
import type { Call } from "./context";
import { frame } from "./lifecycle";
import { checkFields, diffByTable, type Table } from "./table";
const fields: Table<never> = {
	text: { schema: z.string("must be a string"), change: "update" },
	teamName: { schema: teamName, change: "replace" },
};
const name = "quiet-harbor";
const set = (call: Call, text: unknown) =>
	call.client.pipelines.settings({ pipeline_name: name, requirements: String(text) });
export const label = frame({
	kind: "Label",
	fields,
	identity: "text",
	check: async (_, olds, inputs) => ({ inputs, problems: checkFields(fields, olds, inputs) }),
	diff: (_, olds, news) => diffByTable(fields, olds, news),
	create: async (call, inputs) => {
		await set(call, inputs.text);
		return { id: "1", outs: inputs };
	},
	read: async (call, id, outs) => {
		const { requirements } = await call.client.pipelines.status({ name });
		const live = { ...outs, text: requirements ?? "" };
		return { state: { id, outs: live, inputs: live } };
	},
	update: async (call, _, __, inputs) => {
		await set(call, inputs.text);
		return inputs;
	},
	remove: async (call) => void (await set(call, "")),
	words: { kept: () => undefined },
});
`,
	"src/resources/label.ts": `
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
`,
	"src/index.ts": [
		['export * from "./resources/pipeline-schedule";', 'export * from "./resources/label";\n'],
	],
};

const RECIPES = { FIELD, RESOURCE };

const copy = tempFolder("recipes-");
let server: LocalServer;
let test: TestDeployment;

beforeAll(async () => {
	for (const name of ["src", "tsconfig.json", "package.json", "tools"])
		cpSync(join(repository, name), join(copy.path, name), { recursive: true });
	symlinkSync(join(repository, "node_modules"), join(copy.path, "node_modules"));
	for (const [path, change] of Object.entries({ ...FIELD, ...RESOURCE })) {
		const place = join(copy.path, path);
		writeFileSync(
			place,
			typeof change === "string" ? change : change.reduce(put, readFileSync(place, "utf8")),
		);
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

function put(text: string, [before, added]: readonly [string, string]): string {
	if (!text.includes(before)) throw new Error(`The place of the change is gone: ${before}`);
	return text.replace(before, `${added}${before}`);
}

/** The part of `npm run build` that the compiler needs. */
const WRITE_WIRE_TYPES = 'require("./tools/build/wire-types").writeWireTypes()';

const PROGRAM = `
const datachain = require("pulumi-datachain");
const { note, text } = require("./declared.json")[0];
new datachain.PipelineSchedule("noted", { pipelineName: "rusty-vise", cronExpression: "0 3 * * *", note });
new datachain.Label("label", { text });
`;

const declare = (note: string, text: string) => test.declare({ note, text } as never);
/** What the service has, past the provider. */
const live = () => {
	const team = server.team("vision");
	const noted = team.schedules().find(({ name }) => name === "lifecycle-dev-noted");
	const labelled = team.pipelines().find(({ name }) => name === "quiet-harbor");
	return { note: Object(noted).note, label: labelled?.settings.requirements };
};

describe("the recipes of CONTRIBUTING.md", () => {
	it("take the files that they name", () => {
		const files = Object.entries(RECIPES).map(([name, recipe]) => [name, Object.keys(recipe).length]);
		expect(Object.fromEntries(files)).toEqual({ FIELD: 3, RESOURCE: 6 });
	});

	it("give a field and a resource that deploy, update and settle", async () => {
		declare("one", "first");
		await test.up();
		await test.expectSettled();
		declare("two", "second");
		await test.up();
		expect(live()).toEqual({ note: "two", label: "second" });
	});

	it("give drift of the field and of the resource, which a deployment repairs", async () => {
		const team = server.team("vision");
		const id = Number((await test.resource("noted")).id);
		team.updateSchedule({ schedule_id: id, note: "by hand" } as never);
		team.setSettings({ pipeline_name: "quiet-harbor", requirements: "by hand" });
		const main = join(copy.path, "dist", "commands", "main.js");
		const { code, stdout } = await run(process.execPath, [main, "drift", "--stack", "dev", "--json"], {
			cwd: test.folder,
			env: test.stack.env,
			timeoutMs: 120_000,
		});
		const { changed }: DriftReport = JSON.parse(stdout);
		const found = changed.flatMap(({ resource, fields }) =>
			fields.map(({ field }) => `${resource}.${field}`),
		);
		expect([code, found.sort()]).toEqual([2, ["label.text", "noted.note"]]);
		await test.up(["--refresh"]);
		expect(live()).toEqual({ note: "two", label: "second" });
	});
});
