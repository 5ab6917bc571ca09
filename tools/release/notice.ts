import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "../repository";

/** What is true only until the packages can be installed from the registries. One page has it. */
const NOTICE =
	/<!-- before the first release -->[\s\S]*?<!-- \/before the first release -->\n+/g;

/** The page as it is from the release on. */
export const withoutNotice = (page: string): string => page.replace(NOTICE, "");

/** `npm run release`, before the tag is made. The workflow refuses a tag whose pages still have the notice. */
function main(): void {
	const docs = join(repository, "docs");
	for (const name of readdirSync(docs).filter((each) => each.endsWith(".md"))) {
		const path = join(docs, name);
		const page = readFileSync(path, "utf8");
		const released = withoutNotice(page);
		if (released !== page) writeFileSync(path, released);
	}
}

if (require.main === module) main();
