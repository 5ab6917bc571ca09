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
import { apiOf } from "../helpers/server-harness";

/**
 * CONTRIBUTING.md says which files a new field touches. Here one is added to a copy of the sources in these files alone;
 * the copy is compiled and deployed. For the other recipes the compiler names what is missing.
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

const copy = tempFolder("recipes-");
let server: LocalServer;
let test: TestDeployment;

beforeAll(async () => {
	for (const name of ["src", "tsconfig.json", "package.json", join("tools", "schema")])
		cpSync(join(repository, name), join(copy.path, name), { recursive: true });
	symlinkSync(join(repository, "node_modules"), join(copy.path, "node_modules"));
	for (const [path, edit] of Object.entries(FIELD)) {
		const place = join(copy.path, path);
		writeFileSync(place, edit(readFileSync(place, "utf8")));
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
	copy.remove();
});

/** The part of `npm run schema` that the compiler needs. */
const WRITE_WIRE_TYPES = `
	const { wireFiles } = require("./tools/schema/wire-types");
	for (const [name, text] of Object.entries(wireFiles())) {
		require("node:fs").writeFileSync("src/schemas/wire/" + name, text);
	}`;

const PROGRAM = `
const datachain = require("pulumi-datachain");
const [{ note }] = require("./declared.json");
new datachain.PipelineSchedule("noted", { pipelineName: "rusty-vise", cronExpression: "0 3 * * *", note });
`;

const declare = (note: string) => test.declare({ note } as never);
/** What the service has, past the provider. */
const live = async () => {
	const { json } = await apiOf(server).get("/pipeline/schedules?team_name=vision");
	const schedules = json as { schedule_name: string; note?: string }[];
	return schedules.find(({ schedule_name }) => schedule_name === "lifecycle-dev-noted")?.note;
};

describe("a field that was added by the recipe of CONTRIBUTING.md", () => {
	it("takes three files, deploys, updates and settles", async () => {
		expect(Object.keys(FIELD)).toHaveLength(3);
		declare("one");
		await test.up();
		await test.expectSettled();
		declare("two");
		await test.up();
		expect(await live()).toBe("two");
	});

	it("drifts, and a deployment repairs it", async () => {
		const id = Number((await test.resource("noted")).id);
		server.team("vision").updateSchedule({ schedule_id: id, note: "by hand" } as never);
		const command = [join(copy.path, "dist", "commands", "main.js"), "drift", "--stack", "dev", "--json"];
		const place = { cwd: test.folder, env: test.stack.env, timeoutMs: 120_000 };
		const { code, stdout } = await run(process.execPath, command, place);
		const { changed }: DriftReport = JSON.parse(stdout);
		expect([code, changed.map(({ fields }) => fields.map(({ field }) => field))]).toEqual([2, [["note"]]]);
		await test.up(["--refresh"]);
		expect(await live()).toBe("two");
	});
});
