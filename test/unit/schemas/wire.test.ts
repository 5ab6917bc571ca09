import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { wireFolder } from "../../../tools/schema/main";
import { wireFiles } from "../../../tools/schema/wire-types";

test("the plain types of what travels are those of the schemas (npm run schema)", () => {
	const files = readdirSync(wireFolder).map((name) => [name, readFileSync(join(wireFolder, name), "utf8")]);
	expect(Object.fromEntries(files)).toEqual(wireFiles());
});
