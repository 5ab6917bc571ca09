import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { executable } from "../../tools/engine/environment";
import { ensureHost, hostProblem } from "../../tools/engine/hosts";
import { run } from "../../tools/process/run";
import { repository } from "../../tools/repository";
import { stepsIn } from "../helpers/cli";

const folders = [".github/workflows", "examples/ci/github"];
const workflows = folders.flatMap((folder) =>
	readdirSync(join(repository, folder)).map((name): [string, string] => [
		`${folder}/${name}`,
		readFileSync(join(repository, folder, name), "utf8"),
	]),
);

/** Who may write what; everything else reads the repository and no more. */
const writes: Record<string, readonly string[]> = {
	".github/workflows/release.yml": ["id-token", "contents"],
	"examples/ci/github/preview.yml": ["pull-requests"],
	"examples/ci/github/drift.yml": ["issues"],
};

const PINNED = /^[\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;
const usesOf = (text: string): string[] =>
	[...text.matchAll(/^\s*(?:- )?uses:\s*(.*)$/gm)].map(([, use]) => use ?? "");

/** What is wrong with a workflow, one sentence each. */
function problemsOf(text: string, mayWrite: readonly string[] = []): string[] {
	const problems = usesOf(text)
		.filter((use) => !PINNED.test(use))
		.map((use) => `"${use}" is not pinned to a commit with its version in a comment`);
	if (!/^permissions:\n {2}contents: read\n(?! )/m.test(text))
		problems.push("its token may do more than read the contents");
	if (/\b(write|read)-all\b/.test(text)) problems.push("a token may do everything");
	for (const [, scope = ""] of text.matchAll(/^\s+([\w-]+): write$/gm)) {
		if (!mayWrite.includes(scope)) problems.push(`a token may write ${scope}`);
	}
	const checkouts = text.split(/uses: actions\/checkout@.*\n/).slice(1);
	if (
		!checkouts.every((rest) => /^\s+with:\n\s+persist-credentials: false\n/.test(rest))
	) {
		problems.push("a checkout leaves its token in the folder");
	}
	if (/pull_request_target|workflow_run/.test(text))
		problems.push("it runs with rights of this repository for others");
	if (stepsIn(text).some(({ run }) => run?.includes("\u0024{{")))
		problems.push("an expression is pasted into a command");
	return problems;
}

test.each(workflows)(
	"the workflow %s uses pinned actions and a token that may do little",
	(name, text) => {
		expect(problemsOf(text, writes[name])).toEqual([]);
		expect(usesOf(text).length).toBeGreaterThan(0);
	},
);

test.skipIf(hostProblem("actionlint"))(
	"actionlint finds nothing wrong in any workflow",
	async () => {
		const program = join(await ensureHost("actionlint"), executable("actionlint"));
		// Other tools that it would find on one machine only are left out.
		const args = [
			"-no-color",
			"-oneline",
			"-shellcheck=",
			"-pyflakes=",
			...workflows.map(([name]) => name),
		];
		const result = await run(program, args, { cwd: repository, timeoutMs: 60_000 });
		expect(result).toMatchObject({ code: 0, stdout: "", stderr: "" });
	},
);

describe("a release", () => {
	const text = readFileSync(
		join(repository, ".github", "workflows", "release.yml"),
		"utf8",
	);
	const [, rest = ""] = text.split(/^jobs:\n/m);
	const jobs = rest.split(/^ {2}(?=[\w-]+:\n)/m);
	const job = (name: string) => jobs.find((each) => each.startsWith(`${name}:`)) ?? "";

	test.each([
		["npm", "publish-npm", "npm publish --provenance --access public"],
		["pypi", "publish-wheel", "attestations: true"],
	])(
		"goes to %s after the tests, with provenance, from a protected environment",
		(environment, name, command) => {
			expect(job(name)).toContain(command);
			expect(job(name)).toContain(`environment: ${environment}\n`);
			const needs = [job(name), job("release"), job("plugin"), job("build")].map(
				(each) => /^ {4}needs: (.*)$/m.exec(each)?.[1],
			);
			expect(needs).toEqual(["release", "[plugin, sdks]", "build", "test"]);
		},
	);

	test("runs nothing of ours where it has an identity or may write, and stores no token", () => {
		const identified = jobs.filter((each) => /id-token|contents: write/.test(each));
		expect(identified.map((each) => each.split(":")[0])).toEqual([
			"release",
			"publish-npm",
			"publish-wheel",
		]);
		for (const each of identified)
			expect(each).not.toMatch(/checkout|npm (ci|install|run|test)/);
		expect(text).not.toMatch(/secrets\.|NODE_AUTH_TOKEN|NPM_TOKEN|password/);
	});
});
