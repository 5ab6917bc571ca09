import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { repository } from "../repository";

/** A text that a user can see. `…` stands for a value that is filled in. */
export interface Message {
	readonly file: string;
	readonly line: number;
	/** A comment that becomes a description of the schema and the reference. */
	readonly isReference: boolean;
	readonly text: string;
}

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
	const add = (node: ts.Node, text: string, isReference = false): void => {
		const line = tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1;
		if (!found.some((each) => each.line === line && each.text === text))
			found.push({ file, line, text, isReference });
	};
	const visit = (node: ts.Node): void => {
		if (REFERENCE.some((path) => file.startsWith(path))) {
			for (const comment of ts.getJSDocCommentsAndTags(node))
				if (ts.isJSDoc(comment)) add(comment, ts.getTextOfJSDocComment(comment.comment) ?? "", true);
		}
		const text = textOf(node);
		if (text !== undefined) {
			if (isProse(text) && !isInternal(node)) add(node, text);
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

/** `npm run messages`: every text that a user can see, with its place. */
if (require.main === module) {
	const all = messages();
	for (const { file, line, text } of all) console.log(`${file}:${line}\t${JSON.stringify(text)}`);
	console.error(`${all.length} messages`);
}
