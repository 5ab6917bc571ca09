import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { runInNewContext } from "node:vm";
import { isKind } from "../../src/schemas/kinds";
import { snakeCase } from "../../src/text/camel";
import { repository } from "../repository";

type Argument = string | number | boolean | readonly string[];

interface Example {
	readonly args: Readonly<Record<string, Argument>>;
	/** What the program takes out of the result. */
	readonly result: string;
}

const lookups = join(repository, "src", "lookups");
const sources = readdirSync(lookups)
	.map((file) => readFileSync(join(lookups, file), "utf8"))
	.join("\n");

/**
 * How each lookup is used, as its comment says: ` * datachain.getJobsOutput({ limit: 5 }).jobs`. The local server has what is
 * asked for, so that tests can run the programs.
 */
const EXAMPLES: Readonly<Record<string, Example>> = Object.fromEntries(
	[...sources.matchAll(/^ \* datachain\.(\w+)Output\((\{.*\})\)\.(\w+)$/gm)]
		.map(([, name = "", args = "", result = ""]): [string, Example] => [
			name,
			{ args: runInNewContext(`(${args})`), result },
		])
		.sort(([a], [b]) => (a < b ? -1 : 1)),
);

export const EXAMPLE_LOOKUPS = Object.keys(EXAMPLES);

/** Of these, tests compile or run every program. */
export const LOOKUP_LANGUAGES = ["typescript", "python", "go", "yaml"] as const;
type Language = (typeof LOOKUP_LANGUAGES)[number];

const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

const entries = (
	{ args }: Example,
	write: (name: string, value: Argument) => string,
): string[] => Object.entries(args).map(([name, value]) => write(name, value));

const PROGRAMS: Readonly<Record<Language, (name: string, example: Example) => string>> =
	{
		typescript: (name, example) => {
			const args = entries(
				example,
				(key, value) => `${key}: ${JSON.stringify(value)}`,
			).join(", ");
			return `import * as datachain from "pulumi-datachain";

export const ${example.result} = datachain.${name}Output({ ${args} }).${example.result};`;
		},
		python: (name, example) => {
			const text = (value: Argument) =>
				value === true ? "True" : JSON.stringify(value);
			const args = entries(
				example,
				(key, value) => `${snakeCase(key)}=${text(value)}`,
			).join(", ");
			return `import pulumi
import pulumi_datachain as datachain

found = datachain.${snakeCase(name)}_output(${args})
pulumi.export("${example.result}", found.${snakeCase(example.result)})`;
		},
		go: (name, example) => {
			// The generator renames a function that shares its name with a resource.
			const called = isKind(name.slice(3)) ? `Lookup${name.slice(3)}` : capital(name);
			const fields = entries(
				example,
				(key, value) => `\t\t\t${capital(key)}: ${goValue(value)},`,
			);
			return `package main

import (
	"github.com/pulumi-datachain/pulumi-datachain/sdk/go/datachain"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		found := datachain.${called}Output(ctx, datachain.${called}OutputArgs{
${fields.join("\n")}
		})
		ctx.Export("${example.result}", found.${capital(example.result)}())
		return nil
	})
}`;
		},
		yaml: (name, example) => {
			const args = entries(
				example,
				(key, value) => `        ${key}: ${JSON.stringify(value)}`,
			);
			return `variables:
  found:
    fn::invoke:
      function: datachain:${name}
      arguments:
${args.join("\n")}
outputs:
  ${example.result}: \${found.${example.result}}`;
		},
	};

function goValue(value: Argument): string {
	if (typeof value === "string") return `pulumi.String(${JSON.stringify(value)})`;
	if (typeof value === "number") return `pulumi.Int(${value})`;
	if (typeof value === "boolean") return `pulumi.Bool(${value})`;
	return `pulumi.StringArray{${value.map(goValue).join(", ")}}`;
}

/** How a program in the language uses the lookup. */
export function lookupProgram(name: string, language: Language): string {
	const example = EXAMPLES[name];
	if (example === undefined)
		throw new Error(
			`The comment of ${name} has no example, such as datachain.${name}Output({ … }).result.`,
		);
	return PROGRAMS[language](name, example);
}
