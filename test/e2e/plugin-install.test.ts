import { readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { version } from "../../package.json";
import { ensureHost } from "../../tools/engine/hosts";
import { PLUGIN_NAME } from "../../tools/plugin/executable";
import { must } from "../../tools/process/must";
import { tempFolder } from "../../tools/process/temp-folder";
import { type TestDeployment, testDeployment } from "../helpers/e2e-deployment";
import { type Downloads, pluginArchive, programsOnly, serveDownloads } from "../helpers/plugin-languages";

const PROJECT = `name: lifecycle
runtime: yaml
resources:
  nightly:
    type: datachain:PipelineSchedule
    properties: { pipelineName: rusty-vise, cronExpression: 0 3 * * * }
    options: { version: ${version} }
outputs:
  means: \${nightly.cronDescription}
`;

describe("the plugin from its archive", () => {
	let test: TestDeployment;
	let downloads: Downloads;
	let broken: Downloads;
	let empty: Downloads;
	let name: string;
	const listed = async (): Promise<unknown[]> =>
		JSON.parse((await test.stack.run(["plugin", "ls", "--json"])).stdout).filter(
			({ name: found }: { name: string }) => found === "datachain",
		);
	const install = async (wanted: string, url: string) => {
		const args = ["plugin", "install", "resource", "datachain", wanted, "--server", url];
		const { code, stdout, stderr } = await test.stack.run(args);
		return { code, said: stdout + stderr };
	};

	beforeAll(async () => {
		const { archive } = await pluginArchive();
		name = basename(archive);
		test = await testDeployment();
		// Nothing but the engine, the language's host and a shell: no Node, and no plugin.
		const engine = (test.stack.env.PATH ?? "").split(delimiter)[0] ?? "";
		const system = programsOnly(["sh", "env", "uname", "which"], ["/bin", "/usr/bin"]);
		test.stack.env.PATH = [engine, await ensureHost("yaml"), system].join(delimiter);
		writeFileSync(join(test.folder, "Pulumi.yaml"), PROJECT);
		const folder = tempFolder("other-archive-").path;
		writeFileSync(join(folder, "README"), "no plugin");
		const other = join(folder, "other.tar.gz");
		await must("tar", ["-czf", other, "-C", folder, "README"]);
		downloads = await serveDownloads({
			[name]: archive,
			[name.replace(version, "9.9.2")]: other,
			[name.replace(version, "9.9.3")]: archive,
		});
		broken = await serveDownloads({ [name]: Buffer.from("this is no archive") });
		empty = await serveDownloads({});
	});
	afterAll(async () => {
		await test?.dispose();
		for (const place of [downloads, broken, empty]) await place?.close();
	});

	it("without it, the engine names what it looks for, and in which version", async () => {
		const said = await test.refused();
		expect(said).toContain(
			`no resource plugin 'pulumi-resource-datachain' found in the workspace at version v${version}`,
		);
	});

	it.each([
		["an archive that is none", () => broken.url, "uncompressing: gzip: invalid header"],
		["an archive that is not there", () => empty.url, "404 HTTP error fetching plugin"],
	])("%s is one error, and nothing that counts as installed", async (_, url, reason) => {
		const { code, said } = await install(version, url());
		expect([code, errorsIn(said)]).toEqual([1, [expect.stringContaining(reason)]]);
		expect(await listed()).toEqual([]);
	});

	it("a home that cannot be written is one error", async () => {
		const { PULUMI_HOME } = test.stack.env;
		test.stack.env.PULUMI_HOME = join(test.folder, "Pulumi.yaml", "home");
		const { said } = await install(version, downloads.url);
		test.stack.env.PULUMI_HOME = PULUMI_HOME;
		expect(errorsIn(said)).toEqual([
			expect.stringMatching(/creating plugin root: mkdir .*: not a directory/),
		]);
	});

	it.each([
		["without the program", "9.9.2", /failed to load plugin \S+pulumi-resource-datachain: /],
		["with another version", "9.9.3", /is expected to have version >=9\.9\.3, but has \d+\.\d+\.\d+;/],
	])("an archive %s is named when it is used", async (_, wanted, said) => {
		expect((await install(wanted, downloads.url)).code).toBe(0);
		writeFileSync(join(test.folder, "Pulumi.yaml"), PROJECT.replaceAll(version, wanted));
		const { stdout } = await test.stack.preview();
		expect(stdout).toMatch(said);
		writeFileSync(join(test.folder, "Pulumi.yaml"), PROJECT);
		const removed = await test.stack.run(["plugin", "rm", "resource", "datachain", wanted, "--yes"]);
		expect(removed.code).toBe(0);
	});

	it("is installed by its name, and deploys on a machine without Node", async () => {
		const { code, said } = await install(version, downloads.url);
		expect(code, said).toBe(0);
		expect(downloads.asked).toContain(name);
		await test.up();
		expect(await test.stack.outputs()).toEqual({ means: "every day at 03:00 UTC" });
		expect((await test.stack.destroy(["--skip-preview"])).code).toBe(0);
		expect((await test.client.schedules.list()).map((item) => item.schedule_name)).not.toContain(
			"lifecycle-dev-nightly",
		);
	});

	it("has the commands in it, under its own name and under theirs", async () => {
		const installed = join(test.stack.env.PULUMI_HOME ?? "", "plugins", `resource-datachain-v${version}`);
		const program = join(installed, PLUGIN_NAME);
		const env = { ...test.stack.env, PATH: "" };
		expect(await must(program, ["--version"], { env })).toBe(`${version}\n`);
		expect(JSON.parse(await must(program, ["schedules", "--json"], { env }))).toBeInstanceOf(Array);
		symlinkSync(program, join(test.folder, "pulumi-datachain"));
		const help = await must(join(test.folder, "pulumi-datachain"), ["--help"], { env });
		expect(help).toMatch(/^Usage: pulumi-datachain .*\n[\s\S]*\n {2}drift /);
		expect(readdirSync(installed).sort()).toEqual(
			["LICENSE", "THIRD_PARTY_NOTICES", basename(program)].sort(),
		);
	});
});

const errorsIn = (said: string): string[] => said.split("\n").filter((line) => line.startsWith("error:"));
