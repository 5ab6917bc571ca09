import { join } from "node:path";
import * as ts from "typescript";
import { repository } from "../repository";

/** A property of a public type, as its declaration says. */
export interface Declared {
	readonly name: string;
	readonly type: ts.TypeNode;
	readonly optional: boolean;
	readonly comment: string;
}

/** Words of which one is given, each by the name that a program can give it. */
export interface Enumeration {
	readonly name: string;
	readonly comment: string;
	readonly words: readonly {
		readonly name: string;
		readonly value: string;
		readonly description: string;
	}[];
}

/** The public types of the package, read from the source with the compiler. */
export class Declarations {
	private readonly checker: ts.TypeChecker;
	private readonly exported: ReadonlyMap<string, ts.Symbol>;

	constructor() {
		const entry = join(repository, "src", "index.ts");
		const { config } = ts.readConfigFile(
			join(repository, "tsconfig.json"),
			ts.sys.readFile,
		);
		const { options } = ts.parseJsonConfigFileContent(config, ts.sys, repository);
		const program = ts.createProgram(
			[entry, join(repository, "src", "storage", "args.ts")],
			options,
		);
		this.checker = program.getTypeChecker();
		const symbols = program
			.getSourceFiles()
			.filter(
				({ fileName }) => fileName === entry || fileName.endsWith("/storage/args.ts"),
			)
			.flatMap((file) => {
				const module = this.checker.getSymbolAtLocation(file);
				return module ? this.checker.getExportsOfModule(module) : [];
			});
		this.exported = new Map(
			symbols.map((symbol) => [symbol.name, this.resolved(symbol)]),
		);
	}

	/** Names of everything that a program can import. */
	names(): string[] {
		return [...this.exported.keys()];
	}

	comment(name: string): string {
		return this.commentOf(this.symbol(name));
	}

	/** Properties of an interface, those of the interfaces that it extends among them. */
	properties(name: string): Declared[] {
		const type = this.checker.getDeclaredTypeOfSymbol(this.symbol(name));
		return this.checker
			.getPropertiesOfType(type)
			.flatMap((symbol) => this.property(symbol) ?? []);
	}

	/** Properties that a class itself declares: a resource's outputs. */
	outputs(name: string): Declared[] {
		const declaration = this.symbol(name).valueDeclaration;
		if (declaration === undefined || !ts.isClassDeclaration(declaration))
			throw new Error(`${name} is no class.`);
		return declaration.members.filter(ts.isPropertyDeclaration).flatMap((member) => {
			const symbol = this.checker.getSymbolAtLocation(member.name);
			return (symbol && this.property(symbol)) ?? [];
		});
	}

	members(literal: ts.TypeLiteralNode): Declared[] {
		return literal.members.flatMap((member) => {
			const symbol = member.name && this.checker.getSymbolAtLocation(member.name);
			return (symbol && this.property(symbol)) ?? [];
		});
	}

	/** The first parameter and the result of an exported function. */
	signature(name: string): { args: ts.TypeNode | undefined; result: ts.TypeNode } {
		const declaration = this.symbol(name).valueDeclaration;
		if (
			declaration === undefined ||
			!ts.isFunctionDeclaration(declaration) ||
			declaration.type === undefined
		)
			throw new Error(`${name} is no function with a declared result.`);
		return { args: declaration.parameters[0]?.type, result: declaration.type };
	}

	/** The words of an enum, a constant and a type of one name; undefined if it is none. */
	enumeration(node: ts.TypeReferenceNode): Enumeration | undefined {
		const symbol = this.checker.getSymbolAtLocation(node.typeName);
		const resolved = symbol && this.resolved(symbol);
		const value = resolved?.valueDeclaration;
		if (
			resolved === undefined ||
			value === undefined ||
			!ts.isVariableDeclaration(value)
		)
			return undefined;
		const words = this.checker
			.getPropertiesOfType(this.checker.getTypeOfSymbol(resolved))
			.map((word) => {
				const type = this.checker.getTypeOfSymbol(word);
				if (!type.isStringLiteral())
					throw new Error(`${resolved.name}.${word.name} is no word.`);
				return {
					name: word.name,
					value: type.value,
					description: this.commentOf(word),
				};
			});
		return { name: resolved.name, comment: this.commentOf(resolved), words };
	}

	/** What a name in a type stands for: an interface or class of ours, or another type by its alias. */
	lookup(node: ts.TypeReferenceNode): {
		kind: "interface" | "class" | "other";
		alias?: ts.TypeNode;
	} {
		const symbol = this.checker.getSymbolAtLocation(node.typeName);
		const declaration = symbol && this.resolved(symbol).declarations?.[0];
		if (declaration === undefined) return { kind: "other" };
		if (ts.isInterfaceDeclaration(declaration)) return { kind: "interface" };
		if (ts.isClassDeclaration(declaration)) return { kind: "class" };
		return ts.isTypeAliasDeclaration(declaration)
			? { kind: "other", alias: declaration.type }
			: { kind: "other" };
	}

	private property(symbol: ts.Symbol): Declared | undefined {
		const declaration = symbol.declarations?.[0];
		if (
			declaration === undefined ||
			!(ts.isPropertySignature(declaration) || ts.isPropertyDeclaration(declaration)) ||
			declaration.type === undefined
		)
			return undefined;
		return {
			name: symbol.name,
			type: declaration.type,
			optional: declaration.questionToken !== undefined,
			comment: this.commentOf(symbol),
		};
	}

	private commentOf(symbol: ts.Symbol): string {
		return ts.displayPartsToString(symbol.getDocumentationComment(this.checker));
	}

	private resolved(symbol: ts.Symbol): ts.Symbol {
		return symbol.flags & ts.SymbolFlags.Alias
			? this.checker.getAliasedSymbol(symbol)
			: symbol;
	}

	private symbol(name: string): ts.Symbol {
		const found = this.exported.get(name);
		if (found === undefined) throw new Error(`The package exports no ${name}.`);
		return found;
	}
}
