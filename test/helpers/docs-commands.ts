import { join } from "node:path";
import { run } from "../../tools/process/run";
import { repository } from "../../tools/repository";
import { codeIn, type Page } from "./docs-pages";

/** The options that each command knows, by their long names; those of all commands stand under "". */
export type KnownCommands = ReadonlyMap<string, readonly string[]>;

async function help(...args: string[]): Promise<string> {
	const main = join(repository, "dist", "cli", "main.js");
	const { stdout } = await run(process.execPath, [main, ...args, "--help"], { timeoutMs: 30_000 });
	return stdout;
}

const optionsIn = (text: string): string[] =>
	[...text.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, option = ""]) => option);

/** As the command itself tells. */
export async function knownCommands(): Promise<KnownCommands> {
	const main = await help();
	const [, list = ""] = main.split("\nCommands:\n");
	const names = [...list.matchAll(/^ {2}([a-z]+)/gm)].map(([, name = ""]) => name);
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
		[...line.matchAll(/(?:^|npx )pulumi-datachain((?: [^|>&;#)]*)?)(?=[|>&;#)]|$)/g)].map(([, rest = ""]) =>
			rest.trim(),
		),
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
