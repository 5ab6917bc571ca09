import { readdirSync, readFileSync } from "node:fs";
import { join, posix } from "node:path";
import ts from "typescript";
import { repository } from "../repository";

/** A text that a user can see. `…` stands for a value that is filled in. */
export interface Message {
	readonly file: string;
	readonly line: number;
	/** A comment of a public name, which becomes a description of the schema and the reference. */
	readonly isReference: boolean;
	readonly text: string;
}

/** The entry points whose public names have their comments in the schema and the reference. */
const ENTRY_POINTS = ["src/index.ts", "src/storage/index.ts"];

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
	const names = publicNames().get(file);
	const visit = (node: ts.Node): void => {
		if (names !== undefined && isPublic(node, names)) {
			for (const comment of ts.getJSDocCommentsAndTags(node))
				if (ts.isJSDoc(comment))
					add(comment, ts.getTextOfJSDocComment(comment.comment) ?? "", true);
		}
		const text = textOf(node);
		if (text !== undefined) {
			if (isProse(text) && !isInternal(node)) add(node, text);
			if (ts.isTemplateExpression(node))
				for (const span of node.templateSpans) visit(span.expression);
			return;
		}
		ts.forEachChild(node, visit);
	};
	visit(tree);
	return found;
}

type Names = "all" | readonly string[];

let listed: ReadonlyMap<string, Names> | undefined;

/** What the entry points export of each file. */
function publicNames(): ReadonlyMap<string, Names> {
	listed ??= new Map(
		ENTRY_POINTS.flatMap((path) => {
			const entry = readFileSync(join(repository, path), "utf8");
			const exports = entry.matchAll(
				/^export (?:type )?(?:\*|\{([^}]*)\}) from "(.+)";$/gm,
			);
			return [...exports].map(([, list, target = ""]): [string, Names] => {
				const names = list?.split(",").map((name) => name.replace("type ", "").trim());
				return [`${posix.join(posix.dirname(path), target)}.ts`, names ?? "all"];
			});
		}),
	);
	return listed;
}

/** Whether a reader of the reference sees what is declared here: an exported name, or a member of one. */
function isPublic(node: ts.Node, names: Names): boolean {
	if (
		ts.isSourceFile(node) ||
		ts.isFunctionLike(node.parent) ||
		ts.isBlock(node.parent)
	)
		return false;
	for (let each = node; !ts.isSourceFile(each); each = each.parent) {
		const flags = ts.canHaveModifiers(each) ? (ts.getModifiers(each) ?? []) : [];
		const has = (kind: ts.SyntaxKind): boolean =>
			flags.some((flag) => flag.kind === kind);
		if (has(ts.SyntaxKind.PrivateKeyword) || has(ts.SyntaxKind.ProtectedKeyword))
			return false;
		if (!ts.isSourceFile(each.parent)) continue;
		if (!has(ts.SyntaxKind.ExportKeyword)) return false;
		const [declared] = ts.isVariableStatement(each)
			? each.declarationList.declarations
			: [each];
		const name =
			declared && ts.getNameOfDeclaration(declared as ts.Declaration)?.getText();
		return names === "all" || (name !== undefined && names.includes(name));
	}
	return false;
}

/** The text of a literal, or of literals added to each other. */
function textOf(node: ts.Node): string | undefined {
	if (
		ts.isStringLiteral(node) ||
		ts.isNoSubstitutionTemplateLiteral(node) ||
		ts.isJsxText(node)
	)
		return node.text;
	if (ts.isTemplateExpression(node))
		return (
			node.head.text +
			node.templateSpans.map(({ literal }) => `…${literal.text}`).join("")
		);
	if (
		ts.isBinaryExpression(node) &&
		node.operatorToken.kind === ts.SyntaxKind.PlusToken
	) {
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
	if (
		ts.isLiteralTypeNode(parent) ||
		ts.isImportDeclaration(parent) ||
		ts.isExportDeclaration(parent)
	)
		return true;
	if (ts.isBinaryExpression(parent))
		return /^[!=]==$/.test(parent.operatorToken.getText());
	return ts.isTaggedTemplateExpression(parent);
}

/** `npm run messages`: every text that a user can see, with its place. */
if (require.main === module) {
	const all = messages();
	for (const { file, line, text } of all)
		console.log(`${file}:${line}\t${JSON.stringify(text)}`);
	console.error(`${all.length} messages`);
}
