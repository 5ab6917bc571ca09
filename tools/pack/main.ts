import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { homepage, version } from "../../package.json";
import { repository } from "../repository";
import { absoluteLinks, relativeLinks } from "./readme-links";

const file = join(repository, "README.md");
const home = { repository: homepage.replace(/#.*/, ""), version };

/**
 * npm packs the README that lies in the root, so it is changed before and changed back after: `prepack` and `postpack`.
 * Both can be run again, should something be killed in between.
 */
function main(step: string | undefined): void {
	const text = readFileSync(file, "utf8");
	const original = relativeLinks(text, home);
	const packed = absoluteLinks(text, home);
	if (relativeLinks(packed, home) !== original)
		throw new Error("README.md would not be the same after packing.");
	writeFileSync(file, step === "before" ? packed : original);
}

main(process.argv[2]);
