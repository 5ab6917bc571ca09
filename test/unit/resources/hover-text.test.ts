import { join } from "node:path";
import ts from "typescript";
import { expect, it } from "vitest";
import { repository } from "../../../tools/repository";

const source = join(repository, "src").replaceAll("\\", "/");

/** Everything that a program can name, with the module of storages inside. */
function exportsOf(checker: ts.TypeChecker, module: ts.Symbol): ts.Symbol[] {
	return checker.getExportsOfModule(module).flatMap((symbol) => {
		const found =
			symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
		return found.flags & ts.SymbolFlags.ValueModule
			? exportsOf(checker, found)
			: [found];
	});
}

/** The properties that a person sees of it in an editor: of a class, an interface or a constant object. */
function membersOf(checker: ts.TypeChecker, symbol: ts.Symbol): ts.Symbol[] {
	const isType = symbol.flags & (ts.SymbolFlags.Class | ts.SymbolFlags.Interface);
	if (!isType && !(symbol.flags & ts.SymbolFlags.BlockScopedVariable)) return [];
	const type = isType
		? checker.getDeclaredTypeOfSymbol(symbol)
		: checker.getTypeOfSymbol(symbol);
	return checker
		.getPropertiesOfType(type)
		.filter(({ declarations: [declaration] = [] }) =>
			declaration?.getSourceFile().fileName.startsWith(source),
		);
}

it("an editor shows a text for every output, input, argument, result and word of an enum", () => {
	const { config } = ts.readConfigFile(
		join(repository, "tsconfig.json"),
		ts.sys.readFile,
	);
	const { options } = ts.parseJsonConfigFileContent(config, ts.sys, repository);
	const entry = join(source, "index.ts");
	const program = ts.createProgram([entry], options);
	const checker = program.getTypeChecker();
	const file = program.getSourceFile(entry);
	const module = file && checker.getSymbolAtLocation(file);
	if (module === undefined) throw new Error(`${entry} is no module.`);
	const members = exportsOf(checker, module).flatMap((symbol) =>
		membersOf(checker, symbol).map((member) => ({
			name: `${symbol.name}.${member.name}`,
			text: ts.displayPartsToString(member.getDocumentationComment(checker)),
		})),
	);
	const names = members.map(({ name }) => name);
	expect(names).toEqual(
		expect.arrayContaining([
			"Job.query",
			"JobArgs.query",
			"S3Args.key",
			"JobResult.id",
		]),
	);
	expect(members.filter(({ text }) => text === "").map(({ name }) => name)).toEqual([]);
});
