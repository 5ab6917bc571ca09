import {
	cpSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	symlinkSync,
	unlinkSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LocalServer } from "../../src/server";
import type { DriftReport } from "../../src/team/drift-report";
import { must } from "../../tools/process/must";
import { run } from "../../tools/process/run";
import { tempFolder } from "../../tools/process/temp-folder";
import { repository } from "../../tools/repository";
import { type TestDeployment, testDeployment } from "../helpers/e2e-deployment";
import { patchOf, RECIPE_NAMES } from "../helpers/recipes";

/** Follows the recipes of CONTRIBUTING.md in a copy of the repository, which is built, tested and deployed. */
const copy = tempFolder("recipes-");
const node = (...args: string[]) => must(process.execPath, args, { cwd: copy.path });
const inCopy = (...path: string[]): string => join(copy.path, ...path);
const tsNode = (...args: string[]) =>
	node("-r", "ts-node/register/transpile-only", ...args);

let server: LocalServer;
let test: TestDeployment;

async function copyRepository(): Promise<void> {
	const listed = await must("git", ["ls-files", "-z"], { cwd: repository });
	for (const name of listed.split("\0").filter((name) => name !== "")) {
		mkdirSync(dirname(inCopy(name)), { recursive: true });
		cpSync(join(repository, name), inCopy(name), { verbatimSymlinks: true });
	}
	// Its own packages, but for the one that is the checkout itself.
	const packages = join(repository, "node_modules");
	mkdirSync(inCopy("node_modules"));
	for (const name of readdirSync(packages))
		symlinkSync(
			name === "pulumi-datachain" ? copy.path : join(packages, name),
			inCopy("node_modules", name),
			"junction",
		);
}

beforeAll(async () => {
	await copyRepository();
	for (const name of RECIPE_NAMES)
		await must("git", ["apply", patchOf(name)], { cwd: copy.path });
	await tsNode(inCopy("tools", "build", "main.ts"));
	await tsNode(inCopy("tools", "schema", "main.ts"));
	await tsNode(inCopy("tools", "sdk", "main.ts"));
	await tsNode(inCopy("tools", "pages", "main.ts"));
	await tsNode(inCopy("tools", "assumptions", "main.ts"));
	// The schema is part of what is built.
	await tsNode(inCopy("tools", "build", "main.ts"));
	server = await require(inCopy("dist", "server", "index.js")).startServer();
	test = await testDeployment({ program: PROGRAM, shared: server });
	unlinkSync(join(test.folder, "node_modules", "pulumi-datachain"));
	symlinkSync(copy.path, join(test.folder, "node_modules", "pulumi-datachain"), "dir");
});
afterAll(async () => {
	await test?.dispose();
	await server?.close();
	copy.remove();
});

const PROGRAM = `
const datachain = require("pulumi-datachain");
const { contact, url, username } = require("./declared.json")[0];
new datachain.PipelineSchedule("night", { pipelineName: "rusty-vise", cronExpression: "0 3 * * *", contact });
new datachain.Webhook("alerts", { name: "alerts", url });
new datachain.PipelineSettings("settings", {
	pipelineName: "rusty-vise",
	storage: datachain.storage.forUri("sftp://files.example.com/images", { username, password: "hush" }),
});
exports.webhooks = datachain.getWebhooksOutput({ name: "alerts" }).apply(({ webhooks }) => webhooks.length);
`;

const declare = (contact: string, url: string, username: string) =>
	test.declare({ contact, url, username } as never);
const command = async (...args: string[]) => {
	const main = inCopy("dist", "commands", "main.js");
	const options = { cwd: test.folder, env: test.stack.env, timeoutMs: 120_000 };
	return run(process.execPath, [main, ...args], options);
};
/** What the service has, past the provider. */
const live = () => {
	const found = server.team("vision").schedules();
	return Object(found.find(({ name }) => name === "lifecycle-dev-night"));
};
const storageVariable = (): unknown => {
	const pipelines = server.team("vision").pipelines();
	const pipeline = pipelines.find(({ name }) => name === "rusty-vise");
	return JSON.parse(pipeline?.settings.environment.FSSPEC_SFTP ?? "null");
};
const webhooks = (): readonly { id: number; url: string }[] =>
	server.team("vision").request("listWebhooks" as never, {} as never);

describe("a copy of the repository in which the recipes were followed", () => {
	it("compiles with its tests, and those that know kinds, fields and endpoints pass", async () => {
		await node(
			inCopy("node_modules", "typescript", "bin", "tsc"),
			"-p",
			"tsconfig.check.json",
			"--declaration",
			"false",
		);
		const vitest = inCopy("node_modules", "vitest", "vitest.mjs");
		const files = [
			...["unit/plugin/schema", "unit/verify/page", "unit/commands/export"],
			...["unit/storage", "unit/public-types"],
			"client-wire",
			"drift-fields",
			"provider-cases",
			"plugin-cases",
			"docs.test",
			"go-sdk",
		];
		const projects = ["unit", "contract", "package"].map((name) => `--project=${name}`);
		await node(vitest, "run", ...projects, ...files);
	});

	it("deploys, updates and settles", async () => {
		declare("one", "https://example.com/1", "ada");
		await test.up();
		await test.expectSettled();
		expect(storageVariable()).toEqual({ username: "ada", password: "hush" });
		declare("two", "https://example.com/2", "grace");
		await test.up();
		expect(storageVariable()).toEqual({ username: "grace", password: "hush" });
		expect(live()).toMatchObject({ contact: "two" });
		expect(webhooks()).toMatchObject([{ url: "https://example.com/2" }]);
	});

	it("names what was changed or deleted by hand, and a deployment repairs it", async () => {
		const id = Number((await test.resource("night")).id);
		server
			.team("vision")
			.updateSchedule({ schedule_id: id, contact: "by hand" } as never);
		const [webhook] = webhooks();
		server
			.team("vision")
			.request("deleteWebhook" as never, { webhook_id: webhook?.id } as never);
		const { code, stdout } = await command("drift", "--stack", "dev", "--json");
		const { changed, missing }: DriftReport = JSON.parse(stdout);
		const fields = changed.flatMap((each) =>
			each.fields.map(({ field }) => `${each.resource}.${field}`),
		);
		const gone = missing.map(({ resource }) => resource);
		expect([code, fields, gone]).toEqual([2, ["night.contact"], ["alerts"]]);
		await test.up(["--refresh"]);
		expect(live()).toMatchObject({ contact: "two" });
		expect(webhooks()).toMatchObject([{ url: "https://example.com/2" }]);
	});

	it("exports the field, and has the command", async () => {
		const folder = tempFolder("recipes-export-");
		await command("export", "--out", folder.path);
		expect(readFileSync(join(folder.path, "schedules.ts"), "utf8")).toContain(
			'contact: "two"',
		);
		const { code, stdout } = await command("webhooks");
		expect([code, stdout]).toEqual([
			0,
			expect.stringContaining("https://example.com/2"),
		]);
	});
});
