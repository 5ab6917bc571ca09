import { markdownTable } from "../matrix/table";

interface Parameter {
	readonly description: string;
	readonly secret?: boolean;
}

/** A kind of storage as the schema of the plugin has it. */
export interface StorageType {
	readonly properties: Readonly<Record<string, Parameter>>;
}

const INTRODUCTION = `# Storage parameters

<!-- \`npm run pages\` writes this page from the schema. -->

[Storage](storage.md) has examples and the rules. Python writes the wire name, which is the spelling of the storage's Python filesystem library. TypeScript and YAML write the name in the first column. Go writes it
with a capital letter.
`;

const KINDS = {
	s3: "S3-compatible storage, `s3://bucket/path`. Variable `FSSPEC_S3`.",
	gs: "Cloud object storage, `gs://bucket/path`. Variable `FSSPEC_GS`.",
	az: "Blob storage, `az://container/path`. Variable `FSSPEC_ABFS`.",
	hf: "The dataset hub, `hf://datasets/owner/name`. Variable `FSSPEC_HF`.",
} as const;

/** The page of all parameters, from the types S3, Gs, Az and Hf. */
export function storagePage(types: Readonly<Record<string, StorageType>>): string {
	const sections = Object.entries(KINDS).map(([kind, about]) => {
		const type =
			types[`datachain:index:${kind.charAt(0).toUpperCase()}${kind.slice(1)}`];
		return `## ${kind}\n\n${about}\n\n${parameters(Object.entries(type?.properties ?? {}))}`;
	});
	return `${[INTRODUCTION, ...sections].join("\n")}`;
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
