import * as ts from "typescript";
import type { Declarations, Declared, Enumeration } from "./declarations";
import { wording } from "./wording";

/** A type of Pulumi's schema language. */
export interface TypeSpec {
	readonly type?: string;
	readonly $ref?: string;
	readonly items?: TypeSpec;
	readonly additionalProperties?: TypeSpec;
	readonly oneOf?: readonly TypeSpec[];
}

export interface PropertySpec extends TypeSpec {
	readonly description?: string;
	readonly secret?: true;
	readonly willReplaceOnChanges?: true;
	readonly default?: unknown;
}

/** Words of which one is given. */
export interface EnumSpec {
	readonly description: string;
	readonly type: "string";
	readonly enum: Enumeration["words"];
}

export interface ObjectSpec {
	readonly description?: string;
	readonly type: "object";
	readonly properties: Readonly<Record<string, PropertySpec>>;
	readonly required: readonly string[];
}

const ANY: TypeSpec = { $ref: "pulumi.json#/Any" };
const ASSET: TypeSpec = { $ref: "pulumi.json#/Asset" };

/** What the compiler's types cannot say of a property, from the tables. */
export interface Facts {
	/** A number with a fraction is refused. */
	isInteger(owner: string, property: string): boolean;
	isSecret(owner: string, property: string): boolean;
}

/** Where a type stands. An output is a plain text where an input is one of some words: the service may learn others. */
interface Place {
	readonly owner: string;
	readonly property: string;
	readonly isOutput: boolean;
}

/** Turns the package's public types into Pulumi's, and collects the named ones on the way. */
export class TypeSpecs {
	readonly named: Record<string, ObjectSpec | EnumSpec> = {};

	constructor(
		private readonly declarations: Declarations,
		private readonly facts: Facts,
	) {}

	/** An object's properties; what no JSON can carry is left out. */
	object(
		owner: string,
		properties: readonly Declared[],
		isOutput = false,
	): Omit<ObjectSpec, "type"> {
		const specs: Record<string, PropertySpec> = {};
		const required: string[] = [];
		for (const property of properties) {
			const found = this.property(owner, property, isOutput);
			if (found === undefined) continue;
			specs[property.name] = found.spec;
			if (!found.optional) required.push(property.name);
		}
		return { properties: specs, required: required.sort() };
	}

	/** Undefined where nothing but "not set" can be given. */
	private property(
		owner: string,
		declared: Declared,
		isOutput: boolean,
	): { spec: PropertySpec; optional: boolean } | undefined {
		const { parts, optional } = this.parts(declared.type);
		const type = this.union(parts, { owner, property: declared.name, isOutput });
		if (type === undefined) return undefined;
		const description = wording(`${owner}.${declared.name}`, declared.comment);
		return {
			optional: optional || declared.optional,
			spec: {
				...type,
				...(description !== "" && { description }),
				...(this.facts.isSecret(owner, declared.name) && { secret: true }),
			},
		};
	}

	/** The members of a union, without Pulumi's wrappers, undefined and null. */
	private parts(node: ts.TypeNode): { parts: ts.TypeNode[]; optional: boolean } {
		if (node.kind === ts.SyntaxKind.UndefinedKeyword || isNull(node))
			return { parts: [], optional: true };
		if (ts.isParenthesizedTypeNode(node)) return this.parts(node.type);
		if (ts.isUnionTypeNode(node)) {
			const inner = node.types.map((part) => this.parts(part));
			return {
				parts: inner.flatMap(({ parts }) => parts),
				optional: inner.some(({ optional }) => optional),
			};
		}
		const wrapped = wrappedType(node);
		return wrapped ? this.parts(wrapped) : { parts: [node], optional: false };
	}

	private union(parts: readonly ts.TypeNode[], where: Place): TypeSpec | undefined {
		const specs = parts.flatMap((part) => this.single(part, where) ?? []);
		const distinct = specs.filter(
			(spec, index) =>
				specs.findIndex((other) => JSON.stringify(other) === JSON.stringify(spec)) ===
				index,
		);
		const [first, second, ...more] = distinct;
		if (second === undefined) return first;
		// A union of a text and a list of texts breaks the generated Python: the list says the same.
		const list = distinct.find(({ type }) => type === "array");
		const rest = distinct.filter((spec) => spec !== list);
		if (
			list &&
			rest.length === 1 &&
			JSON.stringify(list.items) === JSON.stringify(rest[0])
		)
			return list;
		if (first?.type === "string" && second.$ref === ASSET.$ref && more.length === 0)
			return { oneOf: [first, second] };
		// An id that is given as a number or as a text is a text.
		if (
			distinct.every(
				({ type }) => type === "string" || type === "integer" || type === "number",
			)
		)
			return { type: "string" };
		return ANY;
	}

	/** Undefined for what only a program in TypeScript can give: resources themselves, and configs made by functions. */
	private single(node: ts.TypeNode, where: Place): TypeSpec | undefined {
		if (node.kind === ts.SyntaxKind.StringKeyword) return { type: "string" };
		if (node.kind === ts.SyntaxKind.BooleanKeyword) return { type: "boolean" };
		if (node.kind === ts.SyntaxKind.NumberKeyword)
			return {
				type: this.facts.isInteger(where.owner, where.property) ? "integer" : "number",
			};
		if (node.kind === ts.SyntaxKind.UnknownKeyword) return ANY;
		if (ts.isArrayTypeNode(node)) {
			const items = this.union(this.parts(node.elementType).parts, where);
			return items && { type: "array", items };
		}
		if (ts.isTypeLiteralNode(node)) {
			return this.reference(nameOf(where), "", this.declarations.members(node));
		}
		if (ts.isTypeReferenceNode(node)) return this.referenced(node, where);
		throw new Error(
			`${where.owner}.${where.property}: no schema for ${node.getText()}`,
		);
	}

	private referenced(node: ts.TypeReferenceNode, where: Place): TypeSpec | undefined {
		const name = node.typeName.getText();
		if (name === "Record") {
			const value = node.typeArguments?.[1];
			// `Record<never, never>` is an object without properties.
			if (value === undefined || value.kind === ts.SyntaxKind.NeverKeyword)
				return { type: "object", additionalProperties: ANY };
			return {
				type: "object",
				additionalProperties: this.union(this.parts(value).parts, where) ?? ANY,
			};
		}
		if (name === "pulumi.asset.Asset") return ASSET;
		// Made by a function of the package; other languages give the parameters.
		if (name === "StorageInput" || name === "StorageArgs") return undefined;
		const enumeration = this.declarations.enumeration(node);
		if (enumeration !== undefined)
			return where.isOutput ? { type: "string" } : this.words(enumeration);
		const { kind, alias } = this.declarations.lookup(node);
		if (kind === "class") return undefined;
		if (alias !== undefined) return this.union(this.parts(alias).parts, where);
		return this.reference(
			name,
			this.declarations.comment(name),
			this.declarations.properties(name),
		);
	}

	private words({ name, comment, words }: Enumeration): TypeSpec {
		const token = `datachain:index:${name}`;
		this.named[token] = { description: comment, type: "string", enum: words };
		return { type: "string", $ref: `#/types/${token}` };
	}

	private reference(
		name: string,
		comment: string,
		properties: readonly Declared[],
	): TypeSpec {
		// The generators add `Args` themselves to what is an input.
		const token = `datachain:index:${name.replace(/Args$/, "")}`;
		if (this.named[token] === undefined) {
			const description = wording(name, comment);
			// Before its properties: a type may name itself.
			this.named[token] = { type: "object", properties: {}, required: [] };
			this.named[token] = {
				...(description !== "" && { description }),
				type: "object",
				...this.object(name, properties),
			};
		}
		return { type: "object", $ref: `#/types/${token}` };
	}
}

/** The generators add `Args` themselves to what is an input. */
const nameOf = ({ owner, property }: Place): string =>
	`${owner.replace(/Args$/, "")}${property.charAt(0).toUpperCase()}${property.slice(1)}`;

const isNull = (node: ts.TypeNode): boolean =>
	ts.isLiteralTypeNode(node) && node.literal.kind === ts.SyntaxKind.NullKeyword;

/** `pulumi.Input<T>`, `pulumi.Output<T>` and `Promise<T>` are T here. */
function wrappedType(node: ts.TypeNode): ts.TypeNode | undefined {
	if (!ts.isTypeReferenceNode(node)) return undefined;
	const isWrapper = ["pulumi.Input", "pulumi.Output", "Promise"].includes(
		node.typeName.getText(),
	);
	return isWrapper ? node.typeArguments?.[0] : undefined;
}
