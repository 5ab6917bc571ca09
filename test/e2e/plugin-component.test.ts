import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startServer } from "../../src/server";
import { managedResources, resourceKind } from "../../tools/stack";
import { type Declared, type TestDeployment, testDeployment } from "../helpers/e2e-deployment";
import { pathOf, types, writeProgram, writes } from "../helpers/plugin-languages";

const CANARY = "canary-never-in-clear";

const program: readonly Declared[] = [
	{ kind: "JobFile", name: "script", args: { text: "print(1)", name: "prepare.py" } },
	{
		kind: "ScheduledPipeline",
		name: "images",
		args: {
			datasets: ["dev.images.clean"],
			schedule: { cronExpression: "0 3 * * *" },
			settings: { workers: 2, environment: { API_KEY: { $secret: CANARY } } },
		},
	},
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
	});

	it("goes away with destroy, and no secret was in anything printed", async () => {
		expect((await test.stack.destroy(["--skip-preview"])).code).toBe(0);
		const names = (await test.client.schedules.list()).map((item) => item.schedule_name);
		expect(names).not.toContain("lifecycle-dev-images");
		expect(test.printed()).not.toContain(CANARY);
	});
});

const TWO_ACCOUNTS = (folder: string, url: string, token: string) => `name: lifecycle
runtime: yaml
plugins: { providers: [{ name: datachain, path: ${folder} }] }
resources:
  other:
    type: pulumi:providers:datachain
    properties: { baseUrl: "${url}", token: { fn::secret: "${token}" }, teamName: vision }
  here:
    type: datachain:PipelineSchedule
    properties: { pipelineName: rusty-vise, cronExpression: 0 3 * * * }
  there:
    type: datachain:ScheduledPipeline
    properties: { datasets: [dev.images.clean], schedule: { cronExpression: 0 4 * * * } }
    options: { provider: "\${other}" }
`;

it("explicit providers in YAML reach two accounts, and a component's resources follow its provider", async () => {
	const [test, other] = [await testDeployment({ env: { PATH: await pathOf("yaml") } }), await startServer()];
	const { DATACHAIN_STUDIO_URL: url = "", DATACHAIN_STUDIO_TOKEN: token = "" } = other.environment;
	onTestFinished(() => other.close());
	onTestFinished(test.dispose);
	const plugin = join(test.folder, "node_modules", "pulumi-datachain", "dist", "plugin");
	writeFileSync(join(test.folder, "Pulumi.yaml"), TWO_ACCOUNTS(plugin, url, token));
	await test.up();
	const made = [test.server, other].map(({ requests }) => requests.count({ endpoint: "createSchedule" }));
	expect(made).toEqual([1, 1]);
	expect(JSON.stringify(test.stack.checkpoint())).not.toContain(token);
});
