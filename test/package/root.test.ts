import { expect, test } from "vitest";
import { must } from "../../tools/process/must";
import { repository } from "../../tools/repository";

const FOLDERS = [
	".ci",
	".github",
	"bench",
	"docs",
	"examples",
	"sdk",
	"src",
	"test",
	"tools",
];

/** Those that people read, and those that a tool looks for there. */
const FILES = [
	...[
		"ARCHITECTURE.md",
		"CHANGELOG.md",
		"CODE_OF_CONDUCT.md",
		"CONTRIBUTING.md",
		"LICENSE",
		"README.md",
	],
	...[
		"SECURITY.md",
		".editorconfig",
		".gitattributes",
		".gitignore",
		"package.json",
		"package-lock.json",
	],
	...[
		"Pulumi.yaml",
		"tsconfig.json",
		"tsconfig.check.json",
		"vitest.config.mts",
		"stryker.config.cjs",
	],
	...[
		"biome.json",
		".dependency-cruiser.cjs",
		".markdownlint-cli2.jsonc",
		"cspell.json",
		"project-words.txt",
	],
];

test("in the root of the repository is what belongs there, and nothing else", async () => {
	// What is new counts as well, before it is committed; what .gitignore names does not.
	const list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
	const paths = (await must("git", list, { cwd: repository }))
		.split("\0")
		.filter((path) => path !== "");
	const inFolders = paths
		.filter((path) => path.includes("/"))
		.map((path) => path.split("/", 1)[0]);
	expect([...new Set(inFolders)].sort()).toEqual([...FOLDERS].sort());
	expect(paths.filter((path) => !path.includes("/")).sort()).toEqual([...FILES].sort());
});
