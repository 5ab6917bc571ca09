import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { repository } from "../../tools/repository";
import { commandsOf, runCommands } from "../helpers/cli";
import { testFolder } from "../helpers/test-folder";

/** What the workflows of examples/ci say to GitHub and GitLab; test/e2e/installed-commands.test.ts runs the rest of them. */
let folder: string;
beforeEach(() => {
	folder = testFolder("ci-");
	for (const name of ["comment.md", "drift.md"])
		writeFileSync(join(folder, name), "said\n");
});

/**
 * Runs a step of a workflow, and gives the calls that it makes to GitHub or GitLab. `replies` has what a call prints that
 * has a text in it; `npx` ends with the code of a check that found drift, or with 0.
 */
async function callsOf(
	file: string,
	step: string,
	replies: Record<string, string>,
	env: NodeJS.ProcessEnv,
	drift = 0,
): Promise<string[]> {
	const log = join(folder, "calls.txt");
	writeFileSync(log, "");
	const cases = Object.entries(replies).map(
		([text, reply]) => `*'${text}'*) printf '%s\\n' '${reply}' ;;\n`,
	);
	const calls = `echo "$(basename $0) $*" >> "${log}"\ncase "$*" in\n${cases.join("")}esac\n`;
	for (const program of ["gh", "curl", "npx", "pulumi"]) {
		const text = /gh|curl/.test(program)
			? calls
			: `exit ${program === "npx" ? drift : 0}\n`;
		writeFileSync(join(folder, program), `#!/bin/sh\n${text}`, { mode: 0o755 });
	}
	const PATH = `${folder}${delimiter}${process.env.PATH}`;
	const { code, stderr } = await runCommands(commandsOf(file, step), folder, {
		...process.env,
		...env,
		PATH,
	});
	expect(code, stderr).toBe(0);
	return readFileSync(log, "utf8").trim().split("\n");
}

describe("the workflows for GitHub", () => {
	const env = { REPOSITORY: "acme/images", PULL_REQUEST: "12", PULUMI_STACK: "dev" };

	test("write their own comment again, and no other", async () => {
		const [asked, ...written] = await callsOf(
			"github/preview.yml",
			"Comment",
			{ "--paginate": "77\n78" },
			env,
		);
		expect(asked).toContain('startswith("<!-- datachain-preview -->")');
		expect(written).toEqual([
			"gh api repos/acme/images/issues/comments/77 --silent --method PATCH --field body=@comment.md",
		]);
	});

	test("tell a drift that stays as a comment on the open issue", async () => {
		const calls = await callsOf(
			"github/drift.yml",
			"Issue",
			{ "issue list": "5" },
			env,
		);
		expect(calls.at(-1)).toBe(
			"gh issue comment 5 --repo acme/images --body-file drift.md",
		);
	});

	test("close the issue when the drift is gone, and do nothing where there is none", async () => {
		const [, ...closed] = await callsOf(
			"github/drift.yml",
			"Close",
			{ "issue list": "5" },
			env,
		);
		expect(closed).toEqual([
			expect.stringMatching(/^gh issue close 5 --repo acme\/images /),
		]);
		expect(await callsOf("github/drift.yml", "Close", {}, env)).toHaveLength(1);
	});
});

describe("the jobs for GitLab", () => {
	const file = "gitlab/.gitlab-ci.yml";
	const env = {
		GITLAB_TOKEN: "glpat",
		CI_API_V4_URL: "https://gitlab.example.com/api/v4",
		CI_PROJECT_ID: "5",
		CI_MERGE_REQUEST_IID: "9",
		PULUMI_STACK: "dev",
	};
	const lastOf = async (...args: Parameters<typeof callsOf>) =>
		(await callsOf(...args)).at(-1);

	test("write their own note again, and make one where there is none of theirs", async () => {
		const notes = [
			{ id: 1, body: "### Preview, of somebody" },
			{ id: 2, body: "<!-- datachain-preview -->\n### Preview" },
		];
		const other = await lastOf(
			file,
			"preview",
			{ "?per_page": JSON.stringify(notes.slice(0, 1)) },
			env,
		);
		expect(other).toMatch(
			/ --data-urlencode body@comment\.md .*\/merge_requests\/9\/notes$/,
		);
		const own = await lastOf(
			file,
			"preview",
			{ "?per_page": JSON.stringify(notes) },
			env,
		);
		expect(own).toMatch(/ --request PUT .*\/merge_requests\/9\/notes\/2$/);
	});

	test("keep one issue open as long as there is drift, and close it then", async () => {
		const open = { "state=opened": '[{"iid":3}]' };
		const none = { "state=opened": "[]" };
		expect(await lastOf(file, "drift", none, env, 2)).toMatch(
			/title=DataChain drift in dev .*\/issues$/,
		);
		expect(await lastOf(file, "drift", open, env, 2)).toMatch(
			/body@drift\.md .*\/issues\/3\/notes$/,
		);
		expect(await lastOf(file, "drift", open, env)).toMatch(
			/PUT --data state_event=close .*\/issues\/3$/,
		);
		expect(await callsOf(file, "drift", none, env)).toHaveLength(1);
	});

	test("run the commands of the workflows for GitHub, which are run on a stack", () => {
		const commandsIn = (...files: string[]) =>
			files.flatMap((name) => {
				const text = readFileSync(join(repository, "examples", "ci", name), "utf8");
				return [
					...text.matchAll(/^ +((?:pulumi preview|npx pulumi-datachain) [^>]*?) *>/gm),
				].map(([, line]) => line);
			});
		const theirs = commandsIn("github/preview.yml", "github/drift.yml");
		expect(theirs).toHaveLength(3);
		// The page is an artifact here; a comment on GitHub has none.
		const here = commandsIn(file).map((line) =>
			line?.replace(" --html forecast.html", ""),
		);
		expect(here).toEqual(theirs);
	});

	test("hide the secrets from `npm ci`", () => {
		const text = readFileSync(join(repository, "examples", "ci", file), "utf8");
		const install = /^ {4}- (.*)npm ci --ignore-scripts$/m.exec(text)?.[1];
		const names = [
			"DATACHAIN_STUDIO_TOKEN",
			"PULUMI_ACCESS_TOKEN",
			"PULUMI_CONFIG_PASSPHRASE",
			"GITLAB_TOKEN",
		];
		const secrets = Object.fromEntries(names.map((name) => [name, "canary"]));
		const seen = spawnSync("bash", ["-c", `${install}env`], {
			env: { ...process.env, ...secrets },
			encoding: "utf8",
		});
		expect(seen.stdout).toContain("PATH=");
		expect(seen.stdout).not.toContain("canary");
	});
});
