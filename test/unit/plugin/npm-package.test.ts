import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { beforeAll, describe, expect, it } from "vitest";
import * as publicApi from "../../../src";
import { repository } from "../../../tools/repository";
import { schemaFile } from "../../../tools/schema/main";
import type { EnumSpec, ObjectSpec, TypeSpec } from "../../../tools/schema/types";
import { programOf } from "../../helpers/docs-pages";

/*
 * `pulumi convert` and `pulumi import` write TypeScript after the schema. Here is a line of it for each member of the
 * schema; the compiler says which of them the npm package does not have.
 */

interface Schema {
	readonly types: Readonly<Record<string, ObjectSpec | EnumSpec>>;
	readonly resources: Readonly<
		Record<
			string,
			Members<"inputProperties" | "properties"> & {
				readonly requiredInputs: readonly string[];
			}
		>
	>;
	readonly functions: Readonly<
		Record<string, Readonly<Record<"inputs" | "outputs", ObjectSpec>>>
	>;
	readonly config: Members<"variables">;
	readonly provider: Members<"inputProperties" | "properties">;
	readonly language: { readonly nodejs: { readonly packageName: string } };
}
type Members<Where extends string> = Readonly<Record<Where, ObjectSpec["properties"]>>;

const schema: Schema = JSON.parse(readFileSync(schemaFile, "utf8"));

const nameOf = (token: string): string => token.split(":").at(-1) ?? "";
const typeNamed = (reference: string) =>
	schema.types[reference.replace("#/types/", "")];
const isEnum = (type: ObjectSpec | EnumSpec | undefined): type is EnumSpec =>
	type !== undefined && "enum" in type;

/** How the type of the schema is written in TypeScript; `wrap` says where Outputs may stand. */
function typeText(spec: TypeSpec, wrap: (text: string) => string): string {
	if (spec.$ref === "pulumi.json#/Any") return "any";
	if (spec.$ref === "pulumi.json#/Asset") return "pulumi.asset.Asset";
	if (spec.$ref !== undefined) return namedText(spec.$ref, wrap);
	if (spec.oneOf !== undefined)
		return spec.oneOf.map((one) => typeText(one, wrap)).join(" | ");
	if (spec.items !== undefined) return `${wrap(typeText(spec.items, wrap))}[]`;
	if (spec.additionalProperties !== undefined)
		return `Record<string, ${wrap(typeText(spec.additionalProperties, wrap))}>`;
	return spec.type === "integer" ? "number" : String(spec.type);
}

function namedText(reference: string, wrap: (text: string) => string): string {
	const named = typeNamed(reference);
	if (named === undefined) throw new Error(`The schema has no type ${reference}.`);
	if (isEnum(named)) return `datachain.${nameOf(reference)}`;
	const fields = Object.entries(named.properties).map(([name, spec]) => {
		const mark = named.required.includes(name) ? "" : "?";
		return `${name}${mark}: ${wrap(typeText(spec, wrap))}`;
	});
	return `{ ${fields.join("; ")} }`;
}

const input = (text: string): string => `pulumi.Input<${text}>`;
const plain = (text: string): string => text;

/** As Pulumi's generator writes the word of an enum. */
const memberOf = ({ name, value }: EnumSpec["enum"][number]): string => {
	const text = name ?? value;
	return text.charAt(0).toUpperCase() + text.slice(1);
};

/** A member of the schema, and a statement that compiles if the package has it. */
type Line = readonly [member: string, statement: string];

const enumLines = (): Line[] =>
	Object.entries(schema.types).flatMap(([token, type]) => {
		if (!isEnum(type)) return [];
		const name = nameOf(token);
		return type.enum.flatMap((word): Line[] => [
			[
				`${name}.${memberOf(word)}`,
				`const x: ${JSON.stringify(word.value)} = datachain.${name}.${memberOf(word)};`,
			],
			[
				`${name} ${word.value}`,
				`const x: datachain.${name} = ${JSON.stringify(word.value)};`,
			],
		]);
	});

/** These may also have a form that only a program in TypeScript can give, and an output has the form of its input. */
const IN_TWO_FORMS = [
	"Job.clusterId",
	"Job.requirements",
	"Job.storage",
	"Job.timeout",
	"Pipeline.timeout",
	"PipelineSettings.requirements",
	"PipelineSettings.storage",
];

const resourceLines = (): Line[] =>
	Object.entries(schema.resources).flatMap(
		([token, { inputProperties, properties, requiredInputs }]) => {
			const kind = nameOf(token);
			const required = requiredInputs.map((name) => `${name}: given<any>()`).join(", ");
			return [
				[
					kind,
					`new datachain.${kind}("name", { ${required} }, { protect: true });`,
				] as const,
				...Object.entries(inputProperties).map(
					([name, spec]): Line => [
						`input ${kind}.${name}`,
						`const x: datachain.${kind}Args["${name}"] = given<${input(typeText(spec, input))}>();`,
					],
				),
				...Object.entries(properties).map(([name, spec]): Line => {
					const type = IN_TWO_FORMS.includes(`${kind}.${name}`)
						? "unknown"
						: typeText(spec, plain);
					return [
						`output ${kind}.${name}`,
						`const x: pulumi.Output<${type} | undefined> = given<datachain.${kind}>().${name};`,
					];
				}),
			];
		},
	);

const functionLines = (): Line[] =>
	Object.entries(schema.functions).flatMap(([token, { inputs, outputs }]) => {
		const name = nameOf(token);
		const args = `${name.charAt(0).toUpperCase()}${name.slice(1)}Args`;
		const result = `given<ReturnType<typeof datachain.${name}Output>>()`;
		return [
			...Object.entries(inputs.properties).flatMap(([key, spec]): Line[] => [
				[
					`argument ${name}.${key}`,
					`const x: datachain.${args}["${key}"] = given<${typeText(spec, plain)}>();`,
				],
				[
					`argument ${name}Output.${key}`,
					`const x: NonNullable<Parameters<typeof datachain.${name}Output>[0]>["${key}"] = given<${input(typeText(spec, plain))}>();`,
				],
			]),
			...Object.entries(outputs.properties).flatMap(([key, spec]): Line[] => {
				const type =
					typeText(spec, plain) +
					(outputs.required.includes(key) ? "" : " | undefined");
				const found = `given<Awaited<ReturnType<typeof datachain.${name}>>>().${key}`;
				// A secret stays one in an async function, too: there it is an Output.
				const promised = spec.secret
					? `pulumi.Output<${typeText(spec, plain)}> | undefined`
					: type;
				const inner = hasSecret(spec) ? "unknown" : promised;
				return [
					[`result ${name}.${key}`, `const x: ${inner} = ${found};`],
					// The SDK says so of each property that may be missing, also where Pulumi made the class.
					[
						`result ${name}Output.${key}`,
						`const x: pulumi.Output<${type}> | undefined = ${result}.${key};`,
					],
				];
			}),
		];
	});

/** True of a type with a secret inside, which is an Output there. */
function hasSecret({ $ref, items }: TypeSpec): boolean {
	if (items !== undefined) return hasSecret(items);
	const named = $ref === undefined ? undefined : typeNamed($ref);
	if (named === undefined || isEnum(named)) return false;
	return Object.values(named.properties).some((spec) => spec.secret || hasSecret(spec));
}

const providerLines = (): Line[] => [
	["Provider", 'new datachain.Provider("name", {}, { protect: true });'],
	...Object.entries(schema.provider.inputProperties).map(
		([name, spec]): Line => [
			`input Provider.${name}`,
			`const x: datachain.ProviderArgs["${name}"] = given<${input(typeText(spec, input))}>();`,
		],
	),
	// Settings of a provider travel as texts, so Pulumi's own classes show only those that are texts.
	...Object.entries(schema.provider.properties).flatMap(([name, { type }]): Line[] =>
		type === "string"
			? [
					[
						`output Provider.${name}`,
						`const x: pulumi.Output<string | undefined> = given<datachain.Provider>().${name};`,
					],
				]
			: [],
	),
	...Object.keys(schema.config.variables).map(
		(name): Line => [
			`setting ${name}`,
			`const x: {} | undefined = datachain.config.${name};`,
		],
	),
];

const HEAD = `import * as pulumi from "@pulumi/pulumi";
import * as datachain from "pulumi-datachain";
declare function given<T>(): T;
`;

/** The members that the declarations do not have, each with what the compiler says. */
function missing(lines: readonly Line[]): string[] {
	const text = HEAD + lines.map(([, statement]) => `{ ${statement} }`).join("\n");
	const program = programOf(
		{ "converted.ts": text },
		{
			strict: true,
			skipLibCheck: true,
			module: "node16",
			target: "es2022",
			paths: {
				[schema.language.nodejs.packageName]: [join(repository, "src", "index.ts")],
			},
		},
	);
	const file = program
		.getSourceFiles()
		.find(({ fileName }) => fileName.endsWith("/converted.ts"));
	const first = HEAD.split("\n").length - 1;
	return ts.getPreEmitDiagnostics(program, file).map(({ start = 0, messageText }) => {
		const [member] =
			lines[(file?.getLineAndCharacterOfPosition(start).line ?? 0) - first] ?? [];
		return `${member}: ${ts.flattenDiagnosticMessageText(messageText, "\n").split("\n")[0]}`;
	});
}

describe("the npm package, beside the schema that Pulumi writes TypeScript after", () => {
	let lines: Line[];
	beforeAll(() => {
		lines = [
			...enumLines(),
			...resourceLines(),
			...functionLines(),
			...providerLines(),
		];
	});

	it("declares every resource, input, output, lookup, argument, result, enum and setting", () => {
		expect(lines.length).toBeGreaterThan(300);
		// The compiler finds what is missing, and what is of another type.
		const mistakes: Line[] = [
			["a", "const x: number = given<datachain.Job>().notThere;"],
			["b", "const x: pulumi.Output<number> = given<datachain.Job>().status;"],
		];
		const found = missing([...lines, ...mistakes]);
		expect(found).toEqual([
			expect.stringMatching(/^a: .*notThere/),
			expect.stringMatching(/^b: /),
		]);
	});

	it("has the words of the enums at run time", () => {
		for (const [token, type] of Object.entries(schema.types)) {
			if (!isEnum(type)) continue;
			const words = Object.fromEntries(
				type.enum.map((word) => [memberOf(word), word.value]),
			);
			expect([token, Reflect.get(publicApi, nameOf(token))]).toEqual([token, words]);
		}
	});
});
