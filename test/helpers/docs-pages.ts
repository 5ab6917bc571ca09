import {
	existsSync,
	readdirSync,
	readFileSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import ts from "typescript";
import { tempFolder } from "../../tools/process/temp-folder";
import { repository } from "../../tools/repository";
import { EXAMPLE_KINDS, exampleProgram } from "../../tools/schema/examples";
import {
	EXAMPLE_LOOKUPS,
	LOOKUP_LANGUAGES,
	lookupProgram,
} from "../../tools/schema/lookup-examples";
import { templateOptions } from "../../tools/template-options";
import { runCli } from "./cli";

export type Page = ReturnType<typeof readPage>;

export type Block = Page["blocks"][number];

const ROOT_PAGES = [
	"README.md",
	"ARCHITECTURE.md",
	"CONTRIBUTING.md",
	"CHANGELOG.md",
	"SECURITY.md",
];

/** In the form in which Pulumi's registry takes them from a provider's repository. */
const REGISTRY_PAGES = ["_index.md", "installation-configuration.md"];

/** Every page that a reader may come to. */
export function readPages(): Page[] {
	const docs = readdirSync(join(repository, "docs"), {
		recursive: true,
		encoding: "utf8",
	})
		.filter((name) => name.endsWith(".md") && !REGISTRY_PAGES.includes(name))
		.map((name) => `docs/${name.replaceAll("\\", "/")}`);
	const others = [
		"bench/speed/README.md",
		"src/resources/README.md",
		"tools/python/README.md",
	];
	const examples = readdirSync(join(repository, "examples"))
		.map((name) => `examples/${name}/README.md`)
		.filter((path) => existsSync(join(repository, path)));
	return [...ROOT_PAGES, ...docs, ...examples, ...others].map(readPage);
}

/** What the documentation of each resource and lookup shows in a language, by its name. */
export const schemaExamples = (
	language: Parameters<typeof exampleProgram>[1],
): (readonly [string, string])[] => {
	const inLookups = LOOKUP_LANGUAGES.find((one) => one === language);
	return [
		...EXAMPLE_KINDS.map((kind) => [kind, exampleProgram(kind, language)] as const),
		...(inLookups
			? EXAMPLE_LOOKUPS.map((name) => [name, lookupProgram(name, inLookups)] as const)
			: []),
	];
};

const FENCED = /^( *)```(\w*)\n([\s\S]*?)^\1```$/gm;

/** A page, by its path below the repository with forward slashes; its prose is the text without the fenced blocks. */
export function readPage(path: string) {
	const text = readFileSync(join(repository, path), "utf8");
	/** Each with the line on which its text begins. */
	const blocks = [...text.matchAll(FENCED)].map(
		({ index, 1: indent, 2: language = "", 3: inside = "" }) => ({
			page: path,
			language,
			line: text.slice(0, index).split("\n").length + 1,
			text: inside.replace(new RegExp(`^${indent}`, "gm"), ""),
		}),
	);
	const prose = text.replace(FENCED, "");
	return { path, text, blocks, prose, anchors: anchorsOf(prose.split("\n")) };
}

/** What a link may name behind `#`, as GitHub makes it of headings; a second one of a name gets a number. */
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

interface Link {
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
	const file =
		path === "" ? join(repository, page) : resolve(repository, dirname(page), path);
	const name = relative(repository, file).replaceAll("\\", "/");
	if (name.startsWith("..") || !existsSync(file))
		return `${page}: there is no ${target}`;
	if (anchor === undefined) return undefined;
	if (!name.endsWith(".md")) return `${page}: ${target} has an anchor, and is no page`;
	return readPage(name).anchors.includes(anchor)
		? undefined
		: `${page}: ${target} names no heading of ${name}`;
}

/** The cells of the first table below a heading, without its head. */
export function tableBelow(page: Page, heading: string): string[][] {
	const [, below] = page.text.split(new RegExp(`\n###? ${heading}\n`));
	if (below === undefined) throw new Error(`${page.path} has no heading "${heading}"`);
	const [section = ""] = below.split(/\n###? /);
	const [table = ""] = /^\|.*(?:\n\|.*)*/m.exec(section) ?? [];
	const rows = table.split("\n").slice(2);
	return rows.map((row) =>
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

/** A program of these files in a project that has this checkout's packages. */
export function programOf(
	files: Readonly<Record<string, string>>,
	options: object,
): ts.Program {
	const { path } = tempFolder("typescript-project-");
	symlinkSync(join(repository, "node_modules"), join(path, "node_modules"), "junction");
	for (const [name, text] of Object.entries(files))
		writeFileSync(join(path, name), text);
	const settings = ts.convertCompilerOptionsFromJson(
		{ ...options, noEmit: true, types: ["node"] },
		path,
	);
	if (settings.errors.length > 0)
		throw new Error("The options of the compiler cannot be read.");
	const typeRoots = [join(repository, "node_modules", "@types")];
	const roots = Object.keys(files).map((name) => join(path, name));
	return ts.createProgram(roots, { ...settings.options, typeRoots });
}

/** What the compiler says of the blocks, as files of one project that `pulumi new typescript` made. */
export function compileBlocks(blocks: readonly Block[]): string[] {
	const places = new Map<string, Block>(
		blocks.map(
			(block) =>
				[`${block.page.replaceAll("/", "-")}-${block.line}.ts`, block] as const,
		),
	);
	const files = Object.fromEntries([...places].map(([name, { text }]) => [name, text]));
	// The declarations have a test of their own.
	const program = programOf(files, { ...templateOptions, skipLibCheck: true });
	return ts.getPreEmitDiagnostics(program).map(({ file, start = 0, messageText }) => {
		const block = places.get(basename(file?.fileName ?? ""));
		const line = file?.getLineAndCharacterOfPosition(start).line ?? 0;
		const where = block ? `${block.page}:${block.line + line}` : file?.fileName;
		return `${where}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
	});
}

/** The parts of a quoted message that are the same in every case. */
export const fixedParts = (message: string): string[] =>
	message
		.replace(/\s+/g, " ")
		.trim()
		.split("…")
		.map((part) => part.trim())
		// A single word between two values proves nothing.
		.filter((part) => /\w+\W+\w+/.test(part));

/** The options that each command knows, by their long names; those of all commands stand under "". */
export type KnownCommands = ReadonlyMap<string, readonly string[]>;

const help = async (...args: string[]): Promise<string> =>
	(await runCli({ folder: repository, env: process.env }, [...args, "--help"])).stdout;

const optionsIn = (text: string): string[] =>
	[...text.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, option = ""]) => option);

/** As the command itself tells. */
export async function knownCommands(): Promise<KnownCommands> {
	const main = await help();
	const [, list = ""] = main.split("\nCommands:\n");
	const names = [...list.matchAll(/^ {2}([a-z][a-z-]*)/gm)].map(
		([, name = ""]) => name,
	);
	const rows = names
		.filter((name) => name !== "help")
		.map(async (name) => [name, optionsIn(await help(name))] as const);
	return new Map([["", optionsIn(main)], ...(await Promise.all(rows))]);
}

/** Calls of our command in the shell blocks and code spans of a page: what follows its name, up to the next command. */
export function callsIn(page: Page): string[] {
	const lines = page.blocks
		.filter(({ language }) => language === "sh")
		.flatMap(({ text }) => text.split("\n"));
	return [...lines, ...codeIn(page.prose)].flatMap((line) =>
		[
			...line.matchAll(/(?:^|npx )pulumi-datachain((?: [^|>&;#)]*)?)(?=[|>&;#)]|$)/g),
		].map(([, rest = ""]) => rest.trim()),
	);
}

/** What a call names that the command does not know. */
export function callProblems(known: KnownCommands, call: string): string[] {
	const words = call.split(/\s+/).filter((word) => word !== "");
	const name = words.find((word) => !word.startsWith("-"));
	if (name === undefined) return [];
	const options = known.get(name);
	if (options === undefined) return [`there is no command "${name}"`];
	const all = [...options, ...(known.get("") ?? [])];
	return words
		.filter((word) => word.startsWith("--"))
		.map((word) => word.split("=")[0] ?? word)
		.filter((word) => !all.includes(word))
		.map((word) => `"${name}" knows no ${word}`);
}
