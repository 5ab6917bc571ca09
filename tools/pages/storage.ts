import { STORAGE_KINDS, STORAGES, type StorageKind } from "../../src/storage/rules";
import { markdownTable } from "../matrix/table";

interface Parameter {
	readonly description: string;
	readonly secret?: boolean;
}

/** A kind of storage as the schema of the plugin has it. */
export interface StorageType {
	readonly description: string;
	readonly properties: Readonly<Record<string, Parameter>>;
}

const INTRODUCTION = `# Storage parameters

<!-- \`npm run pages\` writes this page from the schema. -->

[Storage](storage.md) has examples and the rules. Python writes the wire name, which is the spelling of the storage's Python filesystem library. TypeScript and YAML write the name in the first column. Go writes it
with a capital letter.
`;

/** The page of all parameters: a section for each kind of storage that has a type in the schema, such as Gs. */
export function storagePage(types: Readonly<Record<string, StorageType>>): string {
	const sections = STORAGE_KINDS.flatMap((kind) => {
		const type =
			types[`datachain:index:${kind.charAt(0).toUpperCase()}${kind.slice(1)}`];
		if (type === undefined) return [];
		return `## ${kind}\n\n${about(kind, type)}\n\n${parameters(Object.entries(type.properties))}`;
	});
	return `${[INTRODUCTION, ...sections].join("\n")}`;
}

/** The comment of the arguments says: "Parameters of blob storage (`az://`)." */
function about(kind: StorageKind, { description }: StorageType): string {
	const [, first = "", rest = ""] =
		/^Parameters of (.)(.*) \(`\w+:\/\/`\)\.$/.exec(description) ?? [];
	if (first === "")
		throw new Error(
			`storage.${kind} has another comment than expected: ${description}`,
		);
	const { uri, variable } = STORAGES[kind];
	return `${first.toUpperCase()}${rest}, \`${uri.form}\`. Variable \`${variable}\`.`;
}

const WITHOUT_EFFECT =
	/No effect in a job|Deprecated by the library|Only false can be given/;

function parameters(entries: readonly (readonly [string, Parameter])[]): string {
	const useful = entries.filter(
		([, { description }]) => !WITHOUT_EFFECT.test(description),
	);
	const others = entries.filter(([, { description }]) =>
		WITHOUT_EFFECT.test(description),
	);
	const table = markdownTable(
		["Parameter", "Wire name", "Default", "Secret", "Meaning"],
		useful.map(([name, parameter]) => row(name, parameter)),
	);
	const names = others.map(([name]) => `\`${name}\``).join(", ");
	return others.length > 0
		? `${table}\n\nWithout effect in a job, or deprecated: ${names}.\n`
		: `${table}\n`;
}

/** The comments end alike: "Wire name `anon`. Default: false." */
const ENDING = / Wire name (`\w+`(?: \(spread\))?)\. Default: (.*)\.$/s;
const SECRECY =
	/(?:; always stored as a secret| Always stored as a secret\.| Stored as a secret: [^.]*\.)/g;

function row(name: string, { description, secret }: Parameter): string[] {
	const [, wire, byDefault] = ENDING.exec(description) ?? [];
	if (wire === undefined || byDefault === undefined)
		throw new Error(
			`${name} has a comment without a wire name and a default: ${description}`,
		);
	const meaning = description.replace(ENDING, "").replaceAll(SECRECY, "");
	// A dot that ended the part about the secret has to end what is before it.
	return [
		`\`${name}\``,
		wire,
		byDefault,
		secret === true ? "yes" : "",
		meaning.replace(/[^.]$/, "$&."),
	];
}
