import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { version } from "../../package.json";
import { withoutNotice } from "../../tools/release/notice";
import { repository } from "../../tools/repository";
import { runCommands, stepsIn } from "../helpers/cli";
import { readPage, readPages } from "../helpers/docs-pages";
import { testFolder } from "../helpers/test-folder";

const NOTICE = `<!-- before the first release -->

**Not published yet.** Build it.

<!-- /before the first release -->

`;
const PAGE = "# Installation\n\n## Install\n\nnpm install pulumi-datachain\n";
const NOTED = PAGE.replace("npm", () => `${NOTICE}npm`);
const UNPUBLISHED =
	/(?:packages?|plugin) (?:is|are) not (?:on|published)|not published yet|before the first release|no release yet/i;

test("the release removes the notice that nothing is published, and nothing else", () => {
	expect(withoutNotice(NOTED)).toBe(PAGE);
	expect(withoutNotice(PAGE)).toBe(PAGE);
});

test("one page at most says that nothing is published, and none after the release", () => {
	const registry = ["docs/_index.md", "docs/installation-configuration.md"].map(
		readPage,
	);
	const pages = [
		...readPages().filter(({ path }) => path !== "CONTRIBUTING.md"),
		...registry,
	];
	const noted = pages
		.filter(({ text }) => UNPUBLISHED.test(text))
		.map(({ path }) => path);
	expect(["docs/configuration.md", undefined]).toContain(noted[0]);
	expect(noted.slice(1)).toEqual([]);
	for (const { path, text } of pages)
		expect(withoutNotice(text), path).not.toMatch(UNPUBLISHED);
	// A link into the notice would lead nowhere after the release.
	const [page] = pages.filter(({ text }) => withoutNotice(text) !== text);
	expect(page?.text.match(/^#+ .+$/gm)).toEqual(
		page && withoutNotice(page.text).match(/^#+ .+$/gm),
	);
});

test("the workflow refuses a tag whose pages have the notice, and takes it after the release step", async () => {
	const workflow = readFileSync(
		join(repository, ".github", "workflows", "release.yml"),
		"utf8",
	);
	const commands = stepsIn(workflow).find(({ name }) => name === "Version")?.run ?? "";
	const folder = testFolder("release-");
	for (const name of ["package.json", "CHANGELOG.md", "docs"])
		cpSync(join(repository, name), join(folder, name), { recursive: true });
	const page = join(folder, "docs", "configuration.md");
	const check = () =>
		runCommands(commands, folder, { ...process.env, TAG: `v${version}` });

	writeFileSync(page, NOTED);
	expect(await check()).toMatchObject({
		code: 1,
		stderr: expect.stringContaining("npm run release"),
	});
	writeFileSync(page, withoutNotice(NOTED));
	expect(await check()).toMatchObject({ code: 0 });
});
