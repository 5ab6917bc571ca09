import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { repository } from "../repository";

/** Words that say nothing of a value: a search for them finds everything, and a reader must look up what they hold. */
const VAGUE = new Set(
	"found known which what shown like kept going standing told wary".split(" "),
);

/** Names that had a private meaning, and the ones that search finds. */
const PRIVATE: ReadonlyMap<string, string> = new Map([
	["makeOnce", "createExactlyOnce"],
	["tellVerdict", "notifyAdoption"],
	["tellRestored", "notifyRestored"],
	["whatBecomesOf", "leftoverNotice"],
	["isCut", "isTruncated"],
	["seenSoon", "pollUntilDefined"],
	["seenWhileYoung", "pollIfRecent"],
	["ended", "deleteUnlessTaken, or what has ended"],
	["ifOurs", "hintIfOurs"],
	["orAgain", "hintRetry"],
	["sentFor", "fieldCarrying"],
	["madeOf", "derivedFrom"],
	["noReasons", "fieldsNotTriggeringRerun"],
	["Framed", "base"],
	["Unslotted", "without a name"],
]);

/** A value or a function that is given a name here. Properties are left out: many are those of the service or of a report. */
const isNamed = ({ parent }: ts.Identifier): boolean =>
	ts.isVariableDeclaration(parent) ||
	ts.isParameter(parent) ||
	ts.isBindingElement(parent) ||
	ts.isFunctionDeclaration(parent);

/** What is wrong with the names in a source file, each with its place. */
export function avoidedNamesIn(file: string, text: string): string[] {
	const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
	const problems: string[] = [];
	const report = (node: ts.Identifier, advice: string) => {
		const { line } = source.getLineAndCharacterOfPosition(node.getStart());
		problems.push(`${file}:${line + 1}: the name ${node.text} (say: ${advice})`);
	};
	const visit = (node: ts.Node): void => {
		if (
			ts.isIdentifier(node) &&
			isNamed(node) &&
			(node.parent as ts.NamedDeclaration).name === node
		) {
			const advice = VAGUE.has(node.text) ? "what it holds" : PRIVATE.get(node.text);
			if (advice !== undefined) report(node, advice);
		}
		ts.forEachChild(node, visit);
	};
	visit(source);
	return problems;
}

/** The names to avoid in the sources, each with its place. */
export const avoidedNames = (): string[] =>
	readdirSync(join(repository, "src"), { recursive: true, encoding: "utf8" })
		.map((name) => `src/${name.replaceAll("\\", "/")}`)
		.filter((file) => /\.tsx?$/.test(file))
		.flatMap((file) =>
			avoidedNamesIn(file, readFileSync(join(repository, file), "utf8")),
		);
