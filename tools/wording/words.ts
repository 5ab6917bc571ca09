import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "../repository";
import { type Message, messages } from "./messages";
import { avoidedNames } from "./names";

/** A word that readers of Pulumi's documentation do not know, and the one that they do. */
interface Avoided {
	readonly pattern: RegExp;
	readonly say: string;
}

const avoid = (words: string, say: string): Avoided => ({
	pattern: new RegExp(`\\b(?:${words})\\b`, "i"),
	say,
});

const AVOIDED: readonly Avoided[] = [
	avoid("(?:take|takes|taking|took|taken) (?:it |them )?over", "adopt"),
	avoid(
		"(?:let|lets|letting) (?:it |them )?go(?: of)?",
		"release, or remove from the state",
	),
	avoid("(?:give|gives|gave|given|giving) (?:it |them |the name )up", "release"),
	avoid("twins?", "duplicate"),
	avoid("anew", "again, or a replacement"),
	avoid("somebody else's|strangers?", "another user's, unmanaged"),
	avoid("nobody's business", "not managed"),
	avoid("behind (?:Pulumi's|its) back", "out of band"),
	avoid("in clear|clear text", "in plain text"),
	avoid("by the clock", "on a schedule"),
	avoid("change of (?:the )?clocks?|clocks? changes?", "daylight-saving change"),
	avoid("unless (?:given|told)", "Default: …"),
	avoid("(?:lost|the|a) repl(?:y|ies)", "response"),
	avoid("a text", "a string"),
	avoid("(?:of|by) hand-over|handovers?", "previous values"),
	avoid("spoilt", "malformed"),
	avoid("discreet|foretold|the bytes decide", "a word of the trade"),
	avoid(
		"a test holds|tests hold",
		"the effect for the reader; the proof is for contributors",
	),
	avoid("connection of its own|provider of its own", "explicit provider"),
];

/** Habits of messages: each has a plainer word. */
const HABITS: readonly Avoided[] = [
	avoid("goes on|go on", "continues"),
	avoid("puts? back", "restore"),
	avoid("shows? others?|shows other", "returns the old values"),
	avoid("has to be done", "No action is needed"),
	avoid("(?:is|are|be) taken for", "treated as"),
	avoid("all the same", "still"),
	avoid("on the strength of", "say who does what"),
	avoid("(?:are|is|one) not wanted", "the noun: the duplicates, the others"),
	avoid("(?:has|have) (?:\\w+ ){1,3}now\\b(?! and)", "leave out now"),
	avoid("there and \\S+ here", "on the service and … in the program"),
];

/** What only TypeScript writes so: these messages are shown to programs in every language. */
const SYNTAX =
	/\bnew datachain\.|\b[a-z]+[A-Z]\w*\(|\b[a-z]\w*: (?:"(?!…)|true\b|false\b|\[)|set \w+: |declares \w+: |\{ ?\w+:/;
/** The classes exist in TypeScript alone, and what a command or the local server prints belongs to no program. */
const ONE_LANGUAGE =
	/^src\/(?:resources|commands|board|server|text)\/|^src\/storage\/builders\.ts$/;

/** Syntax of TypeScript in a message that programs in other languages get. */
const syntaxIn = ({ file, isReference, text }: Message): string[] => {
	if (ONE_LANGUAGE.test(file) || isReference) return [];
	const [found] = SYNTAX.exec(text) ?? [];
	return found === undefined
		? []
		: [`${found} (say it in words: other languages write it in another way)`];
};

const FOLDERS = ["docs", "examples", "bench", "src", "tools"];
/** The changelog quotes what was. */
const PAGES = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md"];

/** The words to avoid in a text: `take over (say: adopt)`. */
const avoidedIn = (text: string, words = AVOIDED): string[] =>
	words.flatMap(({ pattern, say }) => {
		const [found] = pattern.exec(text) ?? [];
		return found === undefined ? [] : [`${found} (say: ${say})`];
	});

/** Every word to avoid, in the pages and in the messages, with its place. */
function avoidedWords(): string[] {
	const pages = FOLDERS.flatMap((folder) =>
		readdirSync(join(repository, folder), { recursive: true, encoding: "utf8" })
			.filter((name) => name.endsWith(".md") && !name.includes("node_modules"))
			.map((name) => `${folder}/${name.replaceAll("\\", "/")}`),
	);
	const inPages = [...PAGES, ...pages].flatMap((path) =>
		prose(readFileSync(join(repository, path), "utf8"))
			.split("\n")
			.flatMap((line, index) =>
				avoidedIn(line).map((word) => `${path}:${index + 1}: ${word}`),
			),
	);
	// Two words are a key or a label, not a sentence.
	const sentences = messages().filter(({ text }) => text.split(" ").length > 2);
	const inMessages = sentences.flatMap((message) =>
		[
			...avoidedIn(message.text.replaceAll("\n", " "), [...AVOIDED, ...HABITS]),
			...syntaxIn(message),
		].map((word) => `${message.file}:${message.line}: ${word}`),
	);
	return [...inPages, ...inMessages];
}

/** The page without code; lines keep their numbers. */
const prose = (page: string): string =>
	page
		.replace(/^( *)```[\s\S]*?^\1```$/gm, (block) => block.replace(/[^\n]+/g, ""))
		.replace(/`[^`\n]+`/g, "…");

/** Part of `npm run lint`: pages, messages and names use the words that Pulumi's readers know. */
if (require.main === module) {
	const found = [...avoidedWords(), ...avoidedNames()];
	for (const line of found) console.error(line);
	process.exitCode = found.length > 0 ? 1 : 0;
}
