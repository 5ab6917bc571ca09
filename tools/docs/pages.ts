import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { repository } from "../repository";

/** A page of the site, and the part of the index under which it stands. */
export interface SitePage {
	/** Path below the repository. */
	readonly path: string;
	readonly title: string;
	readonly part: string;
}

const INDEX = "docs/README.md";
export const EXAMPLES = "Examples";

/** The pages in the order of the index: what is not in it has no place in the site. */
export function sitePages(): SitePage[] {
	const examples = readdirSync(join(repository, "examples"))
		.map((name) => `examples/${name}/README.md`)
		.filter((path) => existsSync(join(repository, path)))
		.map((path) => ({ path, part: EXAMPLES }));
	const others = ["bench/speed/README.md", "src/resources/README.md"].map((path) => ({
		path,
		part: "Internals",
	}));
	return [{ path: INDEX, part: "Get started" }, ...indexed(), ...others, ...examples].map((page) => ({
		...page,
		title: titleOf(page.path),
	}));
}

function indexed(): { path: string; part: string }[] {
	let part = "";
	return read(INDEX)
		.split("\n")
		.flatMap((line) => {
			part = /^## (.+)$/.exec(line)?.[1] ?? part;
			const links = [...line.matchAll(/\]\(([^)#]+\.md)\)/g)];
			return links.map(([, target = ""]) => ({ path: posix.join(dirname(INDEX), target), part }));
		});
}

export const read = (path: string): string => readFileSync(join(repository, path), "utf8");

/** The first heading. Backticks have no meaning in a menu. */
function titleOf(path: string): string {
	const [, title] = /^# (.+)$/m.exec(read(path)) ?? [];
	if (title === undefined) throw new Error(`${path} has no title`);
	return title.replaceAll("`", "");
}
