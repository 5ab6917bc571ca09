import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { repository } from "../../tools/repository";

/** Stands for a value, in the texts of the sources as in those of the pages. */
export const GAP = "…";

/** Every text of the sources, with a gap for each value in it; parts that are joined with + are one text. */
export function sourceTexts(): string[] {
	const files = readdirSync(join(repository, "src"), { recursive: true, encoding: "utf8" });
	return files
		.filter((file) => file.endsWith(".ts"))
		.flatMap((file) => {
			const text = readFileSync(join(repository, "src", file), "utf8");
			return textsIn(ts.createSourceFile(file, text, ts.ScriptTarget.ES2022));
		});
}

function textsIn(node: ts.Node): string[] {
	const own = textOf(node);
	const below: string[] = [];
	node.forEachChild((child) => {
		below.push(...textsIn(child));
	});
	return own === GAP ? below : [own, ...below];
}

function textOf(node: ts.Node): string {
	if (ts.isStringLiteralLike(node)) return node.text;
	if (ts.isTemplateExpression(node)) {
		return node.head.text + node.templateSpans.map(({ literal }) => GAP + literal.text).join("");
	}
	if (ts.isParenthesizedExpression(node)) return textOf(node.expression);
	if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken) {
		return textOf(node.left) + textOf(node.right);
	}
	return GAP;
}

/** The parts of a quoted message that are the same in every case. */
export const fixedParts = (message: string): string[] =>
	message
		.replace(/\s+/g, " ")
		.trim()
		.split(GAP)
		.map((part) => part.trim())
		// A single word between two values proves nothing.
		.filter((part) => /\w+\W+\w+/.test(part));
