import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { repository } from "../../tools/repository";

/** A fenced block, with the line on which its text begins. */
export interface Block {
	readonly page: string;
	readonly language: string;
	readonly line: number;
	readonly text: string;
}

export interface Page {
	/** Path below the repository, with forward slashes. */
	readonly path: string;
	readonly text: string;
	readonly blocks: readonly Block[];
	/** The text without its fenced blocks. */
	readonly prose: string;
	/** What a link may name behind `#`. */
	readonly anchors: readonly string[];
}

const ROOT_PAGES = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "SECURITY.md"];

/** Every page that a reader may come to. */
export function readPages(): Page[] {
	const docs = readdirSync(join(repository, "docs"))
		.filter((name) => name.endsWith(".md"))
		.map((name) => `docs/${name}`);
	const others = ["bench/speed/README.md", "src/boundary/README.md", "tools/python/README.md"];
	const examples = readdirSync(join(repository, "examples"))
		.map((name) => `examples/${name}/README.md`)
		.filter((path) => existsSync(join(repository, path)));
	return [...ROOT_PAGES, ...docs, ...examples, ...others].map(readPage);
}

export function readPage(path: string): Page {
	const text = readFileSync(join(repository, path), "utf8");
	const blocks: Block[] = [];
	const prose: string[] = [];
	let open: { indent: string; language: string; line: number; lines: string[] } | undefined;
	for (const [index, line] of text.split("\n").entries()) {
		const [, indent = "", language = ""] = /^( *)```(\w*)$/.exec(line) ?? [];
		if (open !== undefined && line === `${open.indent}\`\`\``) {
			const inside = open.lines.map((each) => each.slice(open?.indent.length));
			blocks.push({ page: path, language: open.language, line: open.line, text: `${inside.join("\n")}\n` });
			open = undefined;
		} else if (open !== undefined) open.lines.push(line);
		else if (/^ *```/.test(line)) open = { indent, language, line: index + 2, lines: [] };
		else prose.push(line);
	}
	if (open !== undefined) throw new Error(`${path}:${open.line - 1}: the block has no end`);
	return { path, text, blocks, prose: prose.join("\n"), anchors: anchorsOf(prose) };
}

/** As GitHub makes them of headings; a second one of a name gets a number. */
function anchorsOf(lines: readonly string[]): string[] {
	const seen = new Map<string, number>();
	return lines.flatMap((line) => {
		const [, heading] = /^#{1,6} (.+)$/.exec(line) ?? [];
		if (heading === undefined) return [];
		const slug = heading
			.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
			.toLowerCase()
			.replace(/[^\p{L}\p{N}\s_-]/gu, "")
			.replace(/\s/g, "-");
		const count = seen.get(slug) ?? 0;
		seen.set(slug, count + 1);
		return [count === 0 ? slug : `${slug}-${count}`];
	});
}

/** Code spans hold no links: `[storage.s3({ … })]`. */
const withoutCode = (text: string): string => text.replace(/`[^`\n]*`/g, "``");

export interface Link {
	readonly page: string;
	readonly target: string;
}

export function relativeLinks(page: Page): Link[] {
	return [...withoutCode(page.prose).matchAll(/\[[^\]]*\]\(([^)\s]+)\)/g)]
		.map(([, target = ""]) => ({ page: page.path, target }))
		.filter(({ target }) => !/^[a-z]+:/.test(target));
}

/** What is wrong with a link; undefined where it leads somewhere. */
export function linkProblem({ page, target }: Link): string | undefined {
	const [path = "", anchor] = target.split("#");
	const file = path === "" ? join(repository, page) : resolve(repository, dirname(page), path);
	const name = relative(repository, file).replaceAll("\\", "/");
	if (name.startsWith("..") || !existsSync(file)) return `${page}: there is no ${target}`;
	if (anchor === undefined) return undefined;
	if (!name.endsWith(".md")) return `${page}: ${target} has an anchor, and is no page`;
	return readPage(name).anchors.includes(anchor)
		? undefined
		: `${page}: ${target} names no heading of ${name}`;
}

/** The cells of the first table below a heading, without its head. */
export function tableBelow(page: Page, heading: string): string[][] {
	const start = page.text.indexOf(`\n## ${heading}\n`);
	if (start < 0) throw new Error(`${page.path} has no heading "${heading}"`);
	const lines = page.text.slice(start + 1).split("\n");
	const end = lines.findIndex((line, index) => index > 0 && line.startsWith("## "));
	const section = lines.slice(0, end < 0 ? undefined : end);
	const first = section.findIndex((line) => line.startsWith("|"));
	if (first < 0) return [];
	const length = section.slice(first).findIndex((line) => !line.startsWith("|"));
	const rows = section.slice(first, length < 0 ? undefined : first + length);
	return rows.slice(2).map((row) =>
		row
			.split(/(?<!\\)\|/)
			.slice(1, -1)
			.map((cell) => cell.trim()),
	);
}

/** The names in backticks of each row's first cell. */
export const namesBelow = (page: Page, heading: string): string[] =>
	tableBelow(page, heading).flatMap(([first = ""]) => codeIn(first));

export const codeIn = (text: string): string[] =>
	[...text.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);
