import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { run } from "../../tools/process/run";
import { tempFolder } from "../../tools/process/temp-folder";
import { repository } from "../helpers/engine";

/**
 * CONTRIBUTING.md says which files a change touches. Here a field and a resource are added to a copy of the sources in
 * these files alone; the copy is compiled, and what was added must work.
 */
type Edit = (text: string) => string;
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

const FIELD: Readonly<Record<string, Edit>> = {
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

const RESOURCE: Readonly<Record<string, Edit>> = {
	"src/schemas/kinds.ts": put(
		"	JobFile: {",
		'	Label: { entry: "label", called: "Label", nameField: "text", deleteFirst: false, secretOutputs: [], ' +
			"listedIn: undefined, pipelineField: undefined, success: undefined, unread: {} },\n",
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
import { frame } from "./lifecycle";
import { checkFields, diffByTable, type Table } from "./table";
const fields: Table<never> = {
	text: { schema: z.string("must be a string"), change: "update" },
	teamName: { schema: teamName, change: "replace" },
};
export const label = frame({
	kind: "Label",
	fields,
	identity: "text",
	check: async (_, olds, inputs) => ({ inputs, problems: checkFields(fields, olds, inputs) }),
	diff: (_, olds, news) => diffByTable(fields, olds, news),
	create: async (_, inputs) => ({ id: "1", outs: inputs }),
	read: async (_, id, outs) => ({ state: { id, outs, inputs: outs } }),
	update: async (_, __, ___, inputs) => inputs,
	remove: async () => {},
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

const copy = tempFolder("places-of-change-");
afterAll(() => copy.remove());

beforeAll(async () => {
	cpSync(join(repository, "src"), join(copy.path, "src"), { recursive: true });
	for (const name of ["tsconfig.json", "package.json"]) cpSync(join(repository, name), join(copy.path, name));
	cpSync(join(repository, "tools", "schema"), join(copy.path, "tools", "schema"), { recursive: true });
	symlinkSync(join(repository, "node_modules"), join(copy.path, "node_modules"));
	for (const [path, edit] of [...Object.entries(FIELD), ...Object.entries(RESOURCE)]) {
		const place = join(copy.path, path);
		mkdirSync(dirname(place), { recursive: true });
		writeFileSync(place, edit(existsSync(place) ? readFileSync(place, "utf8") : ""));
	}
	await run(process.execPath, ["-r", "ts-node/register/transpile-only", "-e", WRITE_WIRE_TYPES], {
		cwd: copy.path,
		timeoutMs: 60_000,
	});
	const { code, stdout } = await run(
		process.execPath,
		[join(repository, "node_modules/typescript/bin/tsc"), "-p", copy.path],
		{ timeoutMs: 240_000 },
	);
	expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
});

/** The part of `npm run schema` that the compiler needs. */
const WRITE_WIRE_TYPES = `
	const { wireFiles } = require("./tools/schema/wire-types");
	for (const [name, text] of Object.entries(wireFiles())) {
		require("node:fs").writeFileSync("src/schemas/wire/" + name, text);
	}`;

const compiled = (path: string) => require(join(copy.path, "dist", path));

describe("a field of a resource", () => {
	it("is added in three files, and is created, compared, updated and found as drift", async () => {
		expect(Object.keys(FIELD)).toHaveLength(3);
		const { server, team, context, close } = await localServer();
		const provider = compiled("provider/dynamic-host.js").serveDynamically(
			compiled("provider/hosting.js").handlerOf("PipelineSchedule"),
			() => context,
			"pulumi-nodejs:dynamic/datachain:PipelineSchedule",
		);
		provider.configure({ config: { get: () => undefined } });
		const declared = {
			pipelineName: "p",
			scheduleName: "s",
			cronExpression: "0 3 * * *",
			note: "one",
			__urn: "urn",
		};
		const { inputs, failures } = await provider.check({}, declared);
		expect(failures).toEqual([]);
		const made = await provider.create(inputs);
		expect(team.schedules()).toMatchObject([{ note: "one" }]);
		expect((await provider.diff(made.id, made.outs, inputs)).changes).toBe(false);
		const changed = { ...inputs, note: "two" };
		expect((await provider.diff(made.id, made.outs, changed)).changes).toBe(true);
		const { outs } = await provider.update(made.id, made.outs, changed);
		expect(team.schedules()).toMatchObject([{ note: "two" }]);
		team.updateSchedule({ schedule_id: Number(made.id), note: "somebody's" });
		context.lists.drop("team");
		expect((await provider.read(made.id, outs)).inputs).toMatchObject({ note: "somebody's" });
		expect(JSON.stringify(await openApi(server.url))).toContain('"note"');
		await close();
	});
});

describe("a resource", () => {
	it("is added in six files of the sources, and is served, declared and listed", async () => {
		expect(Object.keys(RESOURCE)).toHaveLength(6);
		const provider = compiled("provider/index.js").label();
		provider.configure({ config: { get: (key: string) => CONNECTION[key] } });
		expect((await provider.check({}, { text: 5 })).failures).toEqual([
			{ property: "", reason: expect.stringContaining("text: must be a string") },
		]);
		const { inputs, failures } = await provider.check({}, { text: "one", __urn: "urn" });
		expect(failures).toEqual([]);
		const { id, outs } = await provider.create(inputs);
		expect(outs).toMatchObject({ text: "one", teamName: "team" });
		expect((await provider.diff(id, outs, inputs)).changes).toBe(false);
		const changed = { ...inputs, text: "two" };
		expect(await provider.diff(id, outs, changed)).toMatchObject({ changes: true, replaces: [] });
		const updated = await provider.update(id, outs, changed);
		expect((await provider.read(id, updated.outs)).inputs).toMatchObject({ text: "two" });
		await provider.delete(id, updated.outs);
		expect(compiled("schemas/kinds.js").isKind("Label")).toBe(true);
		expect(compiled("index.js").Label).toBeTypeOf("function");
	});
});

const CONNECTION: Readonly<Record<string, string>> = {
	"datachain:baseUrl": "http://127.0.0.1:9",
	"datachain:token": "t",
	"datachain:teamName": "team",
};

const openApi = async (url: string): Promise<unknown> => (await fetch(`${url}/api/openapi.json`)).json();

/** The local server of the copy: it keeps and shows the new field without a line of its own. */
async function localServer() {
	const server = await compiled("server/index.js").startServer({ empty: true, teamName: "first" });
	const team = server.addTeam("team", { pipelines: ["p"] });
	const context = compiled("provider/context.js").createContext(
		{ explicit: { baseUrl: server.url, token: server.token, teamName: "team" }, env: {} },
		() => {},
	);
	const close = async () => {
		await context.client.close();
		await server.close();
	};
	return { server, team, context, close };
}
