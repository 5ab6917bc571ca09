import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { registryPages } from "../../tools/registry/pages";
import { repository } from "../../tools/repository";

test.each(Object.entries(registryPages()))("%s is what `npm run registry` writes", (name, text) => {
	expect(readFileSync(join(repository, "docs", name), "utf8")).toBe(text);
});
