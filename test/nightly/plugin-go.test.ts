import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, delimiter, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { version } from "../../package.json";
import { findIn, pathFolders } from "../../tools/engine/environment";
import { ensureHost } from "../../tools/engine/hosts";
import { must } from "../../tools/process/must";
import { repository } from "../../tools/repository";
import { EXAMPLES, exampleProgram } from "../../tools/schema/examples";
import { schemaFile } from "../../tools/schema/main";
import { goSdk } from "../../tools/sdk/main";
import { type Declared, type TestDeployment, testDeployment } from "../helpers/e2e-deployment";
import { ids, pluginArchive, programsOnly, serveDownloads, types, writes } from "../helpers/plugin-languages";

const go = findIn(pathFolders(process.env), "go");
const MODULE = "github.com/pulumi-datachain/pulumi-datachain/sdk/go";

/** There is no C compiler on the PATH of the deployment; with one, Go compiles everything in another way. */
const WITHOUT_C = { CGO_ENABLED: "0" };

/** What the example declares, for a program in TypeScript. */
const SAME: readonly Declared[] = [
	{
		kind: "JobFile",
		name: "thresholds",
		args: { name: "thresholds.json", text: '{"blur": 0.4, "minSide": 256}' },
	},
	{
		kind: "PipelineSettings",
		name: "images",
		args: {
			pipelineName: "rusty-vise",
			pythonVersion: "3.12",
			requirements: ["pillow==11.0.0"],
			environment: { LOG_LEVEL: "info" },
			onDestroy: "restore",
		},
		from: { files: ["thresholds.id"] },
	},
	{
		kind: "PipelineSchedule",
		name: "nightly",
		args: { pipelineName: "rusty-vise", cronExpression: "0 3 * * *" },
	},
];

/** The example, with the SDK of this checkout in place of the one that a release has. */
async function writeGoProgram(folder: string): Promise<void> {
	const example = join(repository, "examples", "go");
	for (const file of ["main.go", "go.mod"]) cpSync(join(example, file), join(folder, file));
	cpSync(join(goSdk, "go.sum"), join(folder, "go.sum"));
	await must("go", ["mod", "edit", "-replace", `${MODULE}=${goSdk}`], { cwd: folder });
	await must("go", ["mod", "tidy"], { cwd: folder });
	// The first time, what it is made of takes longer to compile than a command may take.
	await must("go", ["build", "-o", "program", "."], { cwd: folder, env: { ...process.env, ...WITHOUT_C } });
	writeFileSync(join(folder, "Pulumi.yaml"), "name: lifecycle\nruntime: go\n");
}

describe.skipIf(go === undefined)("a program in Go, with the plugin from its archive and no Node", () => {
	let test: TestDeployment;
	const paths = { nodejs: "", go: "" };
	const project = { nodejs: "", go: "" };
	const use = (language: keyof typeof paths) => {
		test.stack.env.PATH = paths[language];
		writeFileSync(join(test.folder, "Pulumi.yaml"), project[language]);
		test.server.requests.clear();
	};
	const byName = async (name: string) =>
		(await test.client.schedules.list()).filter((item) => item.schedule_name === name);

	beforeAll(async () => {
		const { archive } = await pluginArchive();
		test = await testDeployment({ env: WITHOUT_C });
		test.declare(...SAME);
		const file = join(test.folder, "Pulumi.yaml");
		project.nodejs = readFileSync(file, "utf8");
		await writeGoProgram(test.folder);
		project.go = readFileSync(file, "utf8");
		paths.nodejs = test.stack.env.PATH ?? "";
		const engine = paths.nodejs.split(delimiter)[0] ?? "";
		const system = programsOnly(["sh", "env", "uname", "which"], ["/bin", "/usr/bin"]);
		paths.go = [engine, await ensureHost("go"), dirname(go ?? ""), system].join(delimiter);
		const downloads = await serveDownloads({ [basename(archive)]: archive });
		try {
			const args = ["plugin", "install", "resource", "datachain", version, "--server", downloads.url];
			const { code, stderr } = await test.stack.run(args);
			expect(code, stderr).toBe(0);
		} finally {
			await downloads.close();
		}
	});
	afterAll(() => test?.dispose());

	it("deploys, and a second up and a refresh change nothing", async () => {
		use("go");
		await test.up();
		expect(await test.stack.outputs()).toMatchObject({ nightlyMeans: "every day at 03:00 UTC" });
		expect(await byName("lifecycle-dev-nightly")).toHaveLength(1);
		expect(types(test)).toEqual(["datachain:index"]);
		await test.expectSettled();
	});

	it("is shown with every resource in a form that compiles", async () => {
		const schema = JSON.parse(readFileSync(schemaFile, "utf8"));
		for (const kind of Object.keys(EXAMPLES)) {
			mkdirSync(join(test.folder, "examples", kind), { recursive: true });
			writeFileSync(join(test.folder, "examples", kind, "main.go"), exampleProgram(kind, "go", schema));
		}
		await must("go", ["vet", "./examples/..."], {
			cwd: test.folder,
			env: { ...process.env, ...WITHOUT_C },
		});
	});

	it("goes on in TypeScript and comes back, without a request that writes", async () => {
		const before = ids(test);
		for (const language of ["nodejs", "go"] as const) {
			use(language);
			await test.up();
			expect([language, ids(test), writes(test.server)]).toEqual([language, before, 0]);
		}
		expect(types(test)).toEqual(["datachain:index"]);
	});

	it("is taken down by destroy", async () => {
		expect((await test.stack.destroy(["--skip-preview"])).code).toBe(0);
		expect(await byName("lifecycle-dev-nightly")).toEqual([]);
	});

	it("looks things up without showing what may be secret, and hides nothing else", async () => {
		use("go");
		await test.client.pipelines.settings({
			pipeline_name: "nightly-images",
			environment: "KEY=canary-go",
			repository: "https://bot:canary-go@git.example.com/r",
		});
		writeFileSync(join(test.folder, "main.go"), LOOKUPS);
		await test.up();
		const { stdout } = await test.stack.run(["stack", "output", "--json", "--stack", test.stack.name]);
		expect(JSON.parse(stdout)).toEqual({
			names: ["KEY"],
			repository: "https://git.example.com/r",
			plainCron: expect.stringMatching(/^\S+ \S+ /),
			cron: expect.stringMatching(/^\S+ \S+ /),
			asked: "[secret]",
		});
		expect(JSON.stringify(test.stack.checkpoint()) + test.printed()).not.toContain("canary-go");
	});
});

/** Lookups in both forms. */
const LOOKUPS = `package main

import (
	"github.com/pulumi-datachain/pulumi-datachain/sdk/go/datachain"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		found, err := datachain.LookupPipeline(ctx, &datachain.LookupPipelineArgs{Name: "nightly-images"})
		if err != nil {
			return err
		}
		id := 1
		plain, err := datachain.GetSchedule(ctx, &datachain.GetScheduleArgs{ScheduleId: &id})
		if err != nil {
			return err
		}
		ctx.Export("names", pulumi.ToStringArray(found.EnvironmentNames))
		ctx.Export("repository", pulumi.StringPtrFromPtr(found.Repository))
		ctx.Export("plainCron", pulumi.StringPtrFromPtr(plain.CronExpression))
		ctx.Export("cron", datachain.GetScheduleOutput(ctx, datachain.GetScheduleOutputArgs{
			ScheduleId: pulumi.Int(1),
		}).CronExpression())
		ctx.Export("asked", datachain.LookupPipelineOutput(ctx, datachain.LookupPipelineOutputArgs{
			Name:            pulumi.String("nightly-images"),
			WithEnvironment: pulumi.Bool(true),
		}).EnvironmentVariables())
		return nil
	})
}
`;
