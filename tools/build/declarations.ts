import { copyFileSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { repository } from "../repository";

const dist = join(repository, "dist");
const words = join(dist, "zod");

/** Makes the declarations in dist name our own words for zod's types instead of zod. */
export function rewordDeclarations(): void {
	for (const name of readdirSync(dist, { recursive: true, encoding: "utf8" })) {
		if (!name.endsWith(".d.ts")) continue;
		const file = join(dist, name);
		const text = readFileSync(file, "utf8");
		const own = text.replaceAll('from "zod"', `from "${pathTo(words, file)}"`);
		// Only what tsc has written anew: it leaves a file alone whose source has not changed.
		if (own !== text) writeFileSync(file, own);
	}
	copyFileSync(join(__dirname, "zod.d.ts"), `${words}.d.ts`);
}

function pathTo(target: string, from: string): string {
	const path = relative(dirname(from), target).split(sep).join("/");
	return path.startsWith(".") ? path : `./${path}`;
}
