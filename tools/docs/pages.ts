import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { repository } from "../repository";

/** A page of the site, and the part of the index under which it stands. */
export interface SitePage {
	/** Path below the repository. */
	readonly path: string;
	readonly title: string;
	readonly part: string;
	/** Where it is in the site, without `.html`. It depends on the file alone, so that a new title breaks no link. */
	readonly address: string;
	/** Not for contributors, and not the changelog. */
	readonly isForUsers: boolean;
}

const INDEX = "docs/README.md";
export const EXAMPLES = "Examples";

/** The pages in the order of the index: what is not in it has no place in the site. */
export function sitePages(): SitePage[] {
	const examples = readdirSync(join(repository, "examples"))
		.map((name) => `examples/${name}/README.md`)
		.filter((path) => existsSync(join(repository, path)))
		.map((path) => ({ path, part: EXAMPLES }));
	const internals = ["bench/speed/README.md", "src/resources/README.md"]
		.filter((path) => existsSync(join(repository, path)))
		.map((path) => ({ path, part: "Internals" }));
	const all = [
		{ path: INDEX, part: "Get started" },
		...indexed(),
		...internals,
		...examples,
	];
	const seen = new Set<string>();
	return all
		.filter(({ path }) => !seen.has(path) && seen.add(path))
		.map(({ path, part }) => ({
			path,
			part,
			title: titleOf(path),
			address: addressOf(path),
			isForUsers: /^docs\/[^/]+$|^examples\//.test(path),
		}));
}

/** A page stands where the index links to it, and not to a section of it, if there is such a place. */
function indexed(): { path: string; part: string }[] {
	let part = "";
	const links = read(INDEX)
		.split("\n")
		.flatMap((line) => {
			part = /^## (.+)$/.exec(line)?.[1] ?? part;
			return [...line.matchAll(/\]\(([^)#\s]+\.md)(#[^)]*)?\)/g)]
				.filter(([, target = ""]) => !/^[a-z]+:/.test(target))
				.map(([, target = "", section]) => {
					const path = posix.join(dirname(INDEX), target);
					return { path, part, isWhole: section === undefined };
				});
		});
	const whole = new Set(links.filter(({ isWhole }) => isWhole).map(({ path }) => path));
	return links.filter(({ path, isWhole }) => isWhole || !whole.has(path));
}

/** `docs/ci.md` is `docs/ci`, and `examples/go/README.md` is `examples/go`. */
export function addressOf(path: string): string {
	const plain = path.replace(/\.md$/, "").replace(/\/README$/, "");
	return (plain === "docs" ? "docs/index" : plain).toLowerCase();
}

const read = (path: string): string => readFileSync(join(repository, path), "utf8");

/** The first heading. Backticks have no meaning in a menu. */
function titleOf(path: string): string {
	const [, title] = /^# (.+)$/m.exec(read(path)) ?? [];
	if (title === undefined) throw new Error(`${path} has no title`);
	return title.replaceAll("`", "");
}
