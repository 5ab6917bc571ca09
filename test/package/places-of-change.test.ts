import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
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
	"src/provider/pipeline-schedule/fields.ts": all(
		put(
			"	teamName: {",
			'	note: { schema: z.string().optional(), wire: "note", change: "update", read: (live) => live.note },\n',
		),
		put('"startAfter"] as const;\n/** What an update', '"note", '),
		put('"paused"] as const;', '"note", '),
	),
	"src/resources/pipeline-schedule.ts": all(
		put(
			"	/** Team to work in.",
			"	/** What people should know of it. */\n	note?: pulumi.Input<string>;\n",
		),
		put('		"scheduleId",', '		"note",\n'),
	),
	"src/schemas/schedule.ts": all(
		put("	next_run: timestamp", "	note: z.string().nullish(),\n"),
		put(
			'	cron_expression: z.string().optional().describe("five-field cron expression or macro"),\n};',
			"	note: z.string().optional(),\n",
		),
		put("	pause_pipeline:", "	note: z.string().optional(),\n"),
	),
	"src/schemas/wire/schedule.ts": all(
		put("	next_run: string;", "	note: string;\n"),
		put("	/** ISO 8601 date-time. */\n	start_after", "	note: string;\n"),
	),
};

const RESOURCE: Readonly<Record<string, Edit>> = {
	"src/schemas/kinds.ts": put(
		"	JobFile: {",
		'	Label: { entry: "label", nameField: "text", deleteFirst: false, secretOutputs: [] },\n',
	),
	"src/provider/handlers.ts": put(
		"	JobFile: () =>",
		'	Label: () => (require("./label/handler") as typeof import("./label/handler")).label,\n',
	),
	"src/provider/index.ts": put(
		"/** The form that states",
		'export const label = (): DynamicProvider => dynamicProvider("Label");\n\n',
	),
	"src/provider/label/handler.ts": file(`
import { z } from "zod";
import type { ResourceHandler } from "../handler";
import { checkFields } from "../shared/check-fields";
import { diffByTable, type Table } from "../shared/table";
const LABEL_FIELDS: Table<object> = { text: { schema: z.string("must be a text"), change: "update" } };
export const label: ResourceHandler = {
	fields: LABEL_FIELDS,
	check: async (_, __, inputs) => ({ inputs, problems: checkFields(LABEL_FIELDS, {}, inputs) }),
	diff: async (_, __, olds, news) => diffByTable(LABEL_FIELDS, olds, news),
	create: async (_, inputs) => ({ id: "1", outs: inputs }),
	read: async (_, id, outs) => ({ state: { id, outs, inputs: outs } }),
	update: async (_, __, ___, outs) => ({ outs }),
	delete: async () => {},
};
`),
	"src/resources/label.ts": file(`
import type * as pulumi from "@pulumi/pulumi";
import { DynamicResource } from "../boundary/dynamic-resource";
import { declaredKind } from "./declared-kind";
export interface LabelArgs { text: pulumi.Input<string> }
const DECLARATION = {
	...declaredKind("Label"), properties: ["text"], optional: [], insteadOfImport: "Leave it out.",
	inputs: (args: Partial<LabelArgs>) => args,
};
export class Label extends DynamicResource<LabelArgs> {
	constructor(name: string, args: LabelArgs) { super(DECLARATION, name, args, undefined); }
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
	symlinkSync(join(repository, "node_modules"), join(copy.path, "node_modules"));
	for (const [path, edit] of [...Object.entries(FIELD), ...Object.entries(RESOURCE)]) {
		const place = join(copy.path, path);
		mkdirSync(dirname(place), { recursive: true });
		writeFileSync(place, edit(existsSync(place) ? readFileSync(place, "utf8") : ""));
	}
	const { code, stdout } = await run(
		process.execPath,
		[join(repository, "node_modules/typescript/bin/tsc"), "-p", copy.path],
		{ timeoutMs: 240_000 },
	);
	expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
});

const compiled = (path: string) => require(join(copy.path, "dist", path));

describe("a field of a resource", () => {
	it("is added in four files, and is created, compared, updated and found as drift", async () => {
		expect(Object.keys(FIELD)).toHaveLength(4);
		const service = await echoingService();
		const provider = compiled("provider/host/dynamic-host.js").serveDynamically(
			compiled("provider/handlers.js").handlerOf("PipelineSchedule"),
			() => service.context,
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
		expect(service.schedule).toMatchObject({ note: "one" });
		expect((await provider.diff(made.id, made.outs, inputs)).changes).toBe(false);
		const changed = { ...inputs, note: "two" };
		expect((await provider.diff(made.id, made.outs, changed)).changes).toBe(true);
		const { outs } = await provider.update(made.id, made.outs, changed);
		expect(service.schedule).toMatchObject({ note: "two" });
		service.schedule.note = "somebody's";
		service.context.lists.drop("team");
		expect((await provider.read(made.id, outs)).inputs).toMatchObject({ note: "somebody's" });
		await service.close();
	});
});

describe("a resource", () => {
	it("is added in six files of the sources, and is served, declared and listed", async () => {
		expect(Object.keys(RESOURCE)).toHaveLength(6);
		const provider = compiled("provider/index.js").label();
		provider.configure({ config: { get: (key: string) => CONNECTION[key] } });
		expect((await provider.check({}, { text: 5 })).failures).toEqual([
			{ property: "", reason: expect.stringContaining("text: must be a text") },
		]);
		expect(compiled("schemas/kinds.js").isKind("Label")).toBe(true);
		expect(compiled("index.js").Label).toBeTypeOf("function");
	});
});

const CONNECTION: Readonly<Record<string, string>> = {
	"datachain:baseUrl": "http://127.0.0.1:9",
	"datachain:token": "t",
	"datachain:teamName": "team",
};

/** Keeps one schedule with whatever fields it is sent. */
async function echoingService() {
	const pipeline = { pipeline_id: "1", name: "p", status: "COMPLETED" };
	const schedule: Record<string, unknown> = { id: 7, created_at: "2031-01-01T00:00:00Z", pipeline };
	let isMade = false;
	const server = createServer(async (request, response) => {
		const chunks: Buffer[] = [];
		for await (const chunk of request) chunks.push(chunk);
		if (request.method === "POST") {
			Object.assign(schedule, JSON.parse(Buffer.concat(chunks).toString()));
			isMade = true;
		}
		const path = request.url ?? "";
		const reply = path.includes("schedules")
			? isMade
				? [schedule]
				: []
			: path.includes("status")
				? pipeline
				: path.includes("schedule")
					? request.method === "POST"
						? { ok: true, schedule }
						: schedule
					: [pipeline];
		response.setHeader("content-type", "application/json");
		response.end(JSON.stringify(reply));
	});
	await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
	const { port } = server.address() as AddressInfo;
	const context = compiled("provider/context.js").createContext(
		{ explicit: { baseUrl: `http://127.0.0.1:${port}`, token: "t", teamName: "team" }, env: {} },
		() => {},
	);
	const close = async () => {
		await context.client.close();
		server.close();
	};
	return { schedule, context, close };
}
