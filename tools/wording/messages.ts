import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { repository } from "../repository";

/** How a text reaches a user; `text` is one that a function returns to one of the others. */
export type Sink = "error" | "notice" | "help" | "output" | "reference" | "text";

/** A text that a user can see. `…` stands for a value that is filled in. */
export interface Message {
	readonly file: string;
	readonly line: number;
	readonly sink: Sink;
	readonly text: string;
}

/** Calls that show their text to a user, by the last name of the callee. */
const CALLS: Readonly<Record<string, Sink>> = {
	notice: "notice",
	warn: "notice",
	note: "notice",
	option: "help",
	requiredOption: "help",
	argument: "help",
	description: "help",
	addHelpText: "help",
	describe: "help",
	print: "output",
	write: "output",
	log: "output",
	say: "output",
	addIssue: "error",
};

/** Folders whose comments become the descriptions of the schema and the reference. */
const REFERENCE = ["src/resources/", "src/functions/", "src/storage/args.ts"];

/** Every text of the sources that a user can see, in the order of files and lines. */
export function messages(folder = "src"): Message[] {
	return readdirSync(join(repository, folder), { recursive: true, encoding: "utf8" })
		.map((name) => `${folder}/${name.replaceAll("\\", "/")}`)
		.filter((path) => /\.tsx?$/.test(path))
		.sort()
		.flatMap((path) => messagesOf(path, readFileSync(join(repository, path), "utf8")));
}

/** The texts of one source file. */
export function messagesOf(file: string, source: string): Message[] {
	const tree = ts.createSourceFile(file, source, ts.ScriptTarget.Latest, true);
	const found: Message[] = [];
	const add = (node: ts.Node, sink: Sink, text: string): void => {
		const line = tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1;
		if (!found.some((each) => each.line === line && each.text === text))
			found.push({ file, line, sink, text });
	};
	const visit = (node: ts.Node): void => {
		if (REFERENCE.some((path) => file.startsWith(path))) {
			for (const comment of ts.getJSDocCommentsAndTags(node))
				if (ts.isJSDoc(comment)) add(comment, "reference", ts.getTextOfJSDocComment(comment.comment) ?? "");
		}
		const text = textOf(node);
		if (text !== undefined) {
			if (isProse(text) && !isInternal(node)) add(node, sinkOf(node), text);
			if (ts.isTemplateExpression(node)) for (const span of node.templateSpans) visit(span.expression);
			return;
		}
		ts.forEachChild(node, visit);
	};
	visit(tree);
	return found;
}

/** The text of a literal, or of literals added to each other. */
function textOf(node: ts.Node): string | undefined {
	if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || ts.isJsxText(node))
		return node.text;
	if (ts.isTemplateExpression(node))
		return node.head.text + node.templateSpans.map(({ literal }) => `…${literal.text}`).join("");
	if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
		const [left, right] = [textOf(node.left), textOf(node.right)];
		if (left !== undefined && right !== undefined) return left + right;
	}
	return undefined;
}

/** At least two words: names, keys, paths and formats have no space between letters. */
const isProse = (text: string): boolean =>
	/[\p{L}…"'`)\]][,.:;]? +[\p{L}…"'`(]/u.test(text) && /\p{L}{2}/u.test(text);

/** Types, imports and compared values never reach a user. */
function isInternal(node: ts.Node): boolean {
	const { parent } = node;
	if (ts.isLiteralTypeNode(parent) || ts.isImportDeclaration(parent) || ts.isExportDeclaration(parent))
		return true;
	if (ts.isBinaryExpression(parent)) return /^[!=]==$/.test(parent.operatorToken.getText());
	return ts.isTaggedTemplateExpression(parent);
}

function sinkOf(node: ts.Node): Sink {
	for (let up = node.parent; up !== undefined && !ts.isStatement(up); up = up.parent) {
		if (ts.isNewExpression(up) && /(?:Error|Refusal|Fault)$/.test(up.expression.getText())) return "error";
		if (ts.isCallExpression(up)) {
			const name = up.expression.getText().split(/\W+/).at(-1) ?? "";
			if (name in CALLS) return CALLS[name] ?? "text";
			if (name.startsWith("refuse")) return "error";
		}
		if (ts.isPropertyAssignment(up) && /^(?:error|message|hint)$/.test(up.name.getText())) return "error";
	}
	return "text";
}

/** `npm run messages`: every text that a user can see, with its place. */
if (require.main === module) {
	const all = messages();
	for (const { file, line, sink, text } of all)
		console.log(`${file}:${line}\t${sink}\t${JSON.stringify(text)}`);
	console.error(`${all.length} messages`);
}
