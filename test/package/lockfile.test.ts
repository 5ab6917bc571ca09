import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { scripts } from "../../package.json";
import { repository } from "../../tools/repository";

interface Locked {
	readonly hasInstallScript?: boolean;
	readonly optional?: boolean;
}
const text = readFileSync(join(repository, "package-lock.json"), "utf8");
const packages: Record<string, Locked> = JSON.parse(text).packages;

/** Scripts that do nothing we need, with the reason. */
const harmless: Record<string, string> = {
	"node_modules/protobufjs":
		"only prints a notice when a project pins it with another version scheme",
};

test("`npm ci --ignore-scripts` is enough: no dependency needs its install script", () => {
	const needed = Object.entries(packages)
		.filter(([, { hasInstallScript, optional }]) => hasInstallScript && !optional)
		.map(([path]) => path);
	expect(needed.filter((path) => !(path in harmless))).toEqual([]);
});

test("the package itself has no install script", () => {
	for (const name of ["preinstall", "install", "postinstall", "prepare"])
		expect(scripts).not.toHaveProperty(name);
});

test("the lockfile names no registry but the public one", () => {
	const hosts = new Set(
		[...text.matchAll(/"resolved": "https?:\/\/([^/"]+)/g)].map((match) => match[1]),
	);
	expect([...hosts].filter((host) => host !== "registry.npmjs.org")).toEqual([]);
});
