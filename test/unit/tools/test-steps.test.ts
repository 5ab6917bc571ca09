import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repository } from "../../../tools/repository";
import { check, cruised } from "../../../tools/test/steps";

const exits = (code: number) => ["-e", `process.exit(${code})`];

test.each([
	{ codes: [0, 0], passed: 1 },
	{ codes: [1, 0], passed: 0 },
	{ codes: [0, 1], passed: 0 },
	{ codes: [3, 2], passed: 0 },
])("a check of two tools that exit with $codes counts $passed passed", async ({ codes, passed }) => {
	expect(await check("both", ...codes.map(exits)).run()).toEqual({ passed, failed: 1 - passed, skipped: 0 });
});

test("a step that runs beside others hands over what its tools print", async () => {
	const prints = (text: string) => ["-e", `console.log(${JSON.stringify(text)}); console.error("!")`];
	let output = "";
	await check("both", prints("one"), prints("two")).run((chunk) => {
		output += chunk;
	});
	expect(output).toMatch(/one[\s\S]*two/);
	expect(output.match(/!/g)).toHaveLength(2);
});

test("`npm run lint` runs the tools of the lint step, on the same folders", () => {
	const { scripts } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8"));
	expect(scripts.lint.split(" && ")).toEqual([
		"biome check .",
		`depcruise ${cruised.join(" ")}`,
		"markdownlint-cli2",
		"cspell --no-progress --no-summary",
		"ts-node --transpileOnly tools/wording/main.ts",
	]);
});
