import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { managedResources, resourceKind } from "../../tools/stack";
import { type Declared, resource, type TestDeployment, testDeployment } from "../helpers/e2e-deployment";
import { pathOf, types, writeProgram, writes } from "../helpers/plugin-languages";

const CANARY = "canary-never-in-clear";

const program: readonly Declared[] = [
	resource("JobFile", "script", { text: "print(1)", name: "prepare.py" }),
	resource("ScheduledPipeline", "images", {
		datasets: ["dev.images.clean"],
		schedule: { cronExpression: "0 3 * * *" },
		settings: { workers: 2, environment: { API_KEY: { $secret: CANARY } } },
	}),
];

/** In TypeScript the component takes the file itself, elsewhere its id. */
const withFile = (value: string): Declared[] =>
	program.map((row) =>
		row.kind === "ScheduledPipeline" ? { ...row, args: { ...row.args, files: [{ $from: value }] } } : row,
	);

describe("a ScheduledPipeline", () => {
	let test: TestDeployment;
	let typescript: string;
	const urns = () => (test.stack.checkpoint().deployment.resources ?? []).map(({ urn }) => urn).join("\n");
	const idsOf = () =>
		managedResources(test.stack.checkpoint()).map((found) => `${resourceKind(found)} ${found.id}`);

	beforeAll(async () => {
		test = await testDeployment({ env: { PATH: await pathOf("yaml") } });
		typescript = readFileSync(join(test.folder, "Pulumi.yaml"), "utf8");
	});
	afterAll(() => test?.dispose());

	it("of a YAML program is constructed by the plugin: preview, up and refresh", async () => {
		writeProgram("yaml", test.folder, withFile("script.id"));
		const said = await test.preview(["--diff"]);
		expect(said).toMatch(/\+ datachain:index:ScheduledPipeline: \(create\)/);
		expect(said).toMatch(/\+ datachain:index:PipelineSchedule: \(create\)/);
		expect(writes(test.server)).toBe(0);
		await test.up();
		await test.expectSettled();
		expect(types(test)).toEqual(["datachain:index"]);
		expect(JSON.stringify(test.stack.checkpoint())).not.toContain(CANARY);
		expect(idsOf()).toHaveLength(4);
	});

	it("moves to a TypeScript program and back, without a request that writes", async () => {
		const before = idsOf();
		test.server.requests.clear();
		writeFileSync(join(test.folder, "Pulumi.yaml"), typescript);
		test.declare(...withFile("script"));
		await test.up();
		expect(types(test)).toEqual(["pulumi-nodejs:dynamic/datachain"]);
		expect(urns()).toMatch(/::pulumi-datachain:index:ScheduledPipeline::images$/m);
		writeProgram("yaml", test.folder, withFile("script.id"));
		await test.up();
		expect(urns()).toMatch(/::datachain:index:ScheduledPipeline::images$/m);
		expect([idsOf().sort(), writes(test.server)]).toEqual([before.sort(), 0]);
		expect(test.printed()).not.toContain(CANARY);
	});
});
