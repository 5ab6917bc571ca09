import { z } from "zod";
import { madeAt, ownProperties, stateUrn } from "../provider/hosts/hosting";
import { parseUrn } from "../provider/model/messages";
import { type Props, SECRET, SIGNATURE } from "../provider/model/props";
import { dynamicType, kindEntry, pluginType } from "../schemas/kinds";

const entrySchema = z.looseObject({
	urn: z.string(),
	type: z.string(),
	id: z.string().optional(),
	delete: z.boolean().optional(),
	external: z.boolean().optional(),
	pendingReplacement: z.boolean().optional(),
	inputs: z.record(z.string(), z.unknown()).optional(),
	outputs: z.record(z.string(), z.unknown()).optional(),
});

const exportSchema = z.looseObject({
	deployment: z.looseObject({ resources: z.array(entrySchema).nullish() }),
});

/** What is read from the CLI, and the command that shows why it cannot be. */
const PRINTED_BY = {
	state: "pulumi stack export",
	config: "pulumi config",
	preview: "pulumi preview",
} as const;

/** A resource of ours as the state has it, secrets in clear. Never printed. */
export interface StateResource {
	readonly urn: string;
	readonly kind: string;
	/** Name in the program. */
	readonly name: string;
	readonly id: string;
	/** The URN that the provider stored with it; undefined for one that was imported. */
	readonly stateUrn: string | undefined;
	/** When it was made, by the clock of whoever deployed it; undefined if the state does not say. */
	readonly madeAt?: number | undefined;
	readonly inputs: Props;
	readonly outputs: Props;
	/** Paths of the secrets in inputs and outputs: `environment.API_KEY`. */
	readonly secretPaths: ReadonlySet<string>;
}

/** Which kind of ours a type of the engine's is, whichever host serves it; undefined for a resource of others. */
export function kindOfType(type: string): string | undefined {
	const [kind] = /\w+$/.exec(type) ?? [];
	return kind !== undefined && [dynamicType(kind), pluginType(kind)].includes(type)
		? kind
		: undefined;
}

/** Whether resources of this kind are schedules on the service. */
export const isScheduleKind = (kind: string | undefined): boolean =>
	kindEntry(kind ?? "")?.listedIn === "schedules";

/** What is declared, or else what the provider found out. */
export const propertyOf = (
	{ inputs, outputs }: StateResource,
	field: string,
): unknown => inputs[field] ?? outputs[field];

/** A resource of ours has a secret that is not decrypted. */
export class EncryptedStateError extends Error {
	override readonly name = "EncryptedStateError";

	constructor() {
		super(
			"The state's secrets could not be decrypted. Give the Pulumi CLI what it needs to read them, such as " +
				"PULUMI_CONFIG_PASSPHRASE, and try again.",
		);
	}
}

export interface StackState {
	/** Null if the stack was never deployed and none was named. */
	readonly stack: string | null;
	readonly project: string | null;
	/** What a refresh would look at, in an order that does not change from one deployment to the next. */
	readonly resources: readonly StateResource[];
	/** Ids of schedules that Pulumi still has to delete: not drift, and nobody else's either. */
	readonly leavingIds: readonly string[];
}

/** Reads what `pulumi stack export` prints. Secrets of ours must be in clear (`--show-secrets`). A state without resources does not tell the name of its stack. */
export function readState(text: string, stack?: string): StackState {
	const { deployment } = readPrinted(exportSchema, text, "state");
	const all = deployment.resources ?? [];
	const program = parseUrn(all[0]?.urn ?? "")?.program;
	const ours = all.flatMap((entry) => {
		const kind = kindOfType(entry.type);
		// `Resource.get` reads something that others manage; an entry without an id was never made.
		return kind === undefined || entry.external || !entry.id
			? []
			: [{ ...entry, kind, id: entry.id }];
	});
	// A refresh leaves alone what is being replaced; what is superseded is about to go.
	const leaving = ours.filter((entry) => entry.delete || entry.pendingReplacement);
	return {
		stack: program?.stack ?? stack ?? null,
		project: program?.project ?? null,
		resources: ours
			.filter((entry) => !leaving.includes(entry))
			.map(resourceOf)
			.sort((a, b) => (a.urn < b.urn ? -1 : 1)),
		leavingIds: leaving.filter(({ kind }) => isScheduleKind(kind)).map(({ id }) => id),
	};
}

/** What the program calls the resource. */
export const nameIn = (urn: string): string => parseUrn(urn)?.name ?? "";

/** What the CLI printed as JSON. The parser's own message would quote the text, which is full of secrets. */
export function readPrinted<T>(
	schema: z.ZodType<T>,
	text: string,
	command: keyof typeof PRINTED_BY,
): T {
	try {
		return schema.parse(JSON.parse(text));
	} catch {
		throw new Error(
			`The Pulumi CLI did not print a ${command} that can be read. Run \`${PRINTED_BY[command]}\` to see why.`,
		);
	}
}

type Entry = z.infer<typeof entrySchema> & {
	readonly kind: string;
	readonly id: string;
};

function resourceOf({
	urn,
	kind,
	id,
	inputs = {},
	outputs = {},
}: Entry): StateResource {
	const secretPaths = new Set<string>();
	const reveal = (props: Props) =>
		withoutSecretMarks(ownProperties(props), [], secretPaths) as Props;
	return {
		urn,
		kind,
		name: nameIn(urn),
		id,
		stateUrn: stateUrn(outputs),
		madeAt: madeAt(outputs),
		inputs: reveal(inputs),
		outputs: reveal(outputs),
		secretPaths,
	};
}

/** The value as the provider would get it; if it held a secret, the path is remembered. */
function withoutSecretMarks(
	value: unknown,
	path: readonly string[],
	secretPaths: Set<string>,
): unknown {
	if (Array.isArray(value)) {
		return value.map((item, index) =>
			withoutSecretMarks(item, [...path, String(index)], secretPaths),
		);
	}
	if (typeof value !== "object" || value === null) return value;
	const marked = value as Props;
	if (marked[SIGNATURE] === SECRET) {
		secretPaths.add(path.join("."));
		if (typeof marked.plaintext !== "string") {
			throw new EncryptedStateError();
		}
		return withoutSecretMarks(
			readPrinted(z.unknown(), marked.plaintext, "state"),
			path,
			secretPaths,
		);
	}
	return Object.fromEntries(
		Object.entries(marked).map(([key, item]) => [
			key,
			withoutSecretMarks(item, [...path, key], secretPaths),
		]),
	);
}
