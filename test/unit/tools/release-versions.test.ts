import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { version } from "../../../package.json";
import { repository } from "../../../tools/repository";

const read = (path: string): string => readFileSync(join(repository, path), "utf8");

/** Every file that carries the version of a release, and how it looks there. */
const PLACES: readonly (readonly [string, RegExp])[] = [
	["package-lock.json", /^ {2}"version": "(.+)"/m],
	["src/plugin/schema.json", /^ {2}"version": "(.+)"/m],
	["sdk/go/datachain/pulumi-plugin.json", /"version": "(.+)"/],
	["sdk/go/datachain/internal/pulumiUtilities.go", /semver\.MustParse\("(\d.+)"\)/],
	["examples/go/go.mod", /\/sdk\/go v(\S+)/],
	["examples/python/requirements.txt", /pulumi-datachain>=(\S+)/],
	["CHANGELOG.md", /^## (.+)$/m],
];

test.each(PLACES)("%s has the version of package.json", (path, pattern) => {
	expect(pattern.exec(read(path))?.[1]).toBe(version);
});
