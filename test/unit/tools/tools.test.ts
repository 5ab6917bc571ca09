import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { version } from "../../../package.json";
import { EngineUnavailableError, engineAt, ensureEngine } from "../../../tools/engine";
import { repository } from "../../../tools/repository";
import { stackEnvironment } from "../../../tools/stack/environment";
import { countReport } from "../../../tools/test/count";
import { avoidedNamesIn } from "../../../tools/wording/names";
import { testFolder } from "../../helpers/test-folder";

/** The engine on a machine without a network and without Go, whose `pulumi` answers with a version, if it has one. */
async function engineBeside(version?: string): Promise<unknown> {
	const folder = testFolder("engine-test-");
	const programs = version === undefined ? [] : ["pulumi", "pulumi-language-nodejs"];
	for (const name of programs)
		writeFileSync(join(folder, name), `#!/bin/sh\necho ${version}\n`, { mode: 0o755 });
	const env = {
		PATH: folder,
		PULUMI_DATACHAIN_CACHE: join(folder, "cache"),
		HOME: folder,
	};
	const install = () =>
		Promise.reject(new Error("get.pulumi.com cannot be reached (ENOTFOUND)"));
	return ensureEngine({ env, install, say: () => {} }).catch((error: unknown) => error);
}

test.skipIf(process.platform === "win32")(
	"a CLI on PATH is taken if it is new enough",
	async () => {
		expect(await engineBeside("v3.300.1")).toMatchObject({
			version: "3.300.1",
			source: "PATH",
		});
		expect(String(await engineBeside("v3.99.0"))).toContain(
			"is version 3.99.0, and 3.216.0 or newer is needed",
		);
	},
);

test("where no engine can be had, one paragraph says what was tried, why it failed and what to install", async () => {
	const failure = await engineBeside();
	expect(failure).toBeInstanceOf(EngineUnavailableError);
	const { message } = failure as EngineUnavailableError;
	expect(message).not.toContain("\n");
	expect(message).toContain("a Pulumi CLI on PATH (no `pulumi` found)");
	expect(message).toContain(
		"PulumiCommand.install() of @pulumi/pulumi (get.pulumi.com cannot be reached",
	);
	expect(message).toContain("a build with Go (no `go` found on PATH)");
	expect(message).toContain("Install the Pulumi CLI 3.216.0 or newer");
});

afterEach(() => vi.unstubAllEnvs());

test("the user's own Pulumi and Studio settings do not reach a throw-away stack", () => {
	vi.stubEnv("PULUMI_ACCESS_TOKEN", "user-token");
	vi.stubEnv("DATACHAIN_STUDIO_TOKEN", "user-studio-token");
	const folder = testFolder("stack-environment-");
	const { env } = stackEnvironment(
		folder,
		engineAt("/engine/pulumi", "3.0.0", "PATH"),
		{},
	);
	expect(env.PULUMI_ACCESS_TOKEN).toBeUndefined();
	expect(env.DATACHAIN_STUDIO_TOKEN).toBeUndefined();
	expect(env.PULUMI_BACKEND_URL).toContain(folder);
});

const file = (status: string, ...tests: string[]) => ({
	status,
	assertionResults: tests.map((each) => ({ status: each })),
});

test.each([
	["a file that fails before its tests", 1, [file("passed", "passed"), file("failed")]],
	["a hook that fails, which skips its tests", 1, [file("failed", "skipped")]],
	["an exit code that no failed test explains", 1, [file("passed", "passed")]],
	["a suite without tests", 0, []],
	["a suite in which no test ran", 0, [file("passed", "skipped")]],
	["a damaged report", 0, 3],
	["a missing report", 0, undefined],
])("%s is counted as a failure", (_, exitCode, testResults) => {
	expect(countReport(testResults && { testResults }, exitCode)).toMatchObject({
		failed: 1,
	});
});

test("the tests of all files are added up", () => {
	const testResults = [
		file("passed", "passed", "skipped"),
		file("failed", "failed", "passed", "todo"),
	];
	expect(countReport({ testResults }, 1)).toMatchObject({
		passed: 2,
		failed: 1,
		skipped: 2,
	});
});

const read = (path: string): string => readFileSync(join(repository, path), "utf8");

/** Every file that carries the version of a release, and how it looks there. */
const PLACES: readonly (readonly [string, RegExp])[] = [
	["package-lock.json", /^ {2}"version": "(.+)"/m],
	["src/provider/hosts/plugin/schema.json", /^ {2}"version": "(.+)"/m],
	["sdk/go/datachain/pulumi-plugin.json", /"version": "(.+)"/],
	["sdk/go/datachain/internal/pulumiUtilities.go", /semver\.MustParse\("(\d.+)"\)/],
	["examples/go/go.mod", /\/sdk\/go v(\S+)/],
	["examples/python/requirements.txt", /pulumi-datachain>=(\S+)/],
	["CHANGELOG.md", /^## (.+)$/m],
];

test.each(PLACES)("%s has the version of package.json", (path, pattern) => {
	expect(pattern.exec(read(path))?.[1]).toBe(version);
});

test("a name that says nothing of its value is refused with its place, and a property of the service is not", () => {
	const source =
		"const found = look();\nfunction isCut({ known, twins: what }: { which: string }) {}\nconst row = { what: 1 };\n";
	expect(avoidedNamesIn("src/a.ts", source)).toEqual([
		"src/a.ts:1: the name found (say: what it holds)",
		"src/a.ts:2: the name isCut (say: isTruncated)",
		"src/a.ts:2: the name known (say: what it holds)",
		"src/a.ts:2: the name what (say: what it holds)",
	]);
});
