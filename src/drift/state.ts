import { z } from "zod";
import type { Props } from "../provider/handler";
import { parseUrn } from "../provider/urn";

/** How Pulumi marks special values in a state, and which of them are secrets. */
const SIGNATURE_KEY = "4dabf18193072939515e22adb298388d";
const SECRET_SIGNATURE = "1b47061264138c4ac30d75fd1eb44270";

/** The dynamic host's form of a kind, and the plugin's. */
const OUR_TYPE = /^(?:pulumi-nodejs:dynamic\/datachain|datachain:index):(\w+)$/;

const exportSchema = z.looseObject({
	deployment: z.looseObject({
		resources: z
			.array(
				z.looseObject({
					urn: z.string(),
					type: z.string(),
					id: z.string().optional(),
					delete: z.boolean().optional(),
					external: z.boolean().optional(),
					pendingReplacement: z.boolean().optional(),
					inputs: z.record(z.string(), z.unknown()).optional(),
					outputs: z.record(z.string(), z.unknown()).optional(),
				}),
			)
			.nullish(),
	}),
});

/** A resource of ours as the state has it, secrets in clear. Never printed. */
export interface StateResource {
	readonly urn: string;
	readonly kind: string;
	/** Name in the program. */
	readonly name: string;
	readonly id: string;
	/** The URN that the provider stored with it; undefined for states of version 0.1.0. */
	readonly stateUrn: string | undefined;
	/** When it was made, by the clock of whoever deployed it; undefined where the state does not say. */
	readonly madeAt?: number | undefined;
	readonly inputs: Props;
	readonly outputs: Props;
	/** Paths of the secrets in inputs and outputs: `environment.API_KEY`. */
	readonly secretPaths: ReadonlySet<string>;
}

export interface StackState {
	readonly stack?: string;
	readonly project?: string;
	/** What a refresh would look at, in an order that does not change from one deployment to the next. */
	readonly resources: readonly StateResource[];
	/** Ids of schedules that Pulumi still has to delete: not drift, and nobody else's either. */
	readonly leavingIds: readonly string[];
}

/** Reads what `pulumi stack export --show-secrets` prints. */
export function readState(text: string): StackState {
	const { deployment } = exportSchema.parse(parseJson(text));
	const all = deployment.resources ?? [];
	const program = parseUrn(all[0]?.urn ?? "")?.program;
	const ours = all.flatMap((entry) => {
		const kind = OUR_TYPE.exec(entry.type)?.[1];
		// `Resource.get` reads something that others manage; an entry without an id was never made.
		return kind === undefined || entry.external || !entry.id ? [] : [{ ...entry, kind, id: entry.id }];
	});
	// A refresh leaves alone what is being replaced; what is superseded is about to go.
	const leaving = ours.filter((entry) => entry.delete || entry.pendingReplacement);
	return {
		...program,
		resources: ours
			.filter((entry) => !leaving.includes(entry))
			.map(resourceOf)
			.sort((a, b) => (a.urn < b.urn ? -1 : 1)),
		leavingIds: leaving.filter(({ kind }) => kind === "PipelineSchedule").map(({ id }) => id),
	};
}

/** What the program calls the resource. */
export const nameIn = (urn: string): string => parseUrn(urn)?.name ?? "";

function parseJson(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		// The parser's own message would quote the text, which is full of secrets.
		throw new Error(
			"The Pulumi CLI did not print a state that can be read. Run `pulumi stack export` to see why.",
		);
	}
}

/** The inputs of such a state say nothing of the program, and version 0.1.0 had no plugin. */
const isFromPlugin = (type: string): boolean => type.startsWith("datachain:");

function resourceOf(entry: {
	urn: string;
	type: string;
	kind: string;
	id: string;
	inputs?: Props | undefined;
	outputs?: Props | undefined;
}): StateResource {
	const secretPaths = new Set<string>();
	const reveal = (props: Props = {}) =>
		Object.fromEntries(
			Object.entries(props)
				.filter(([key]) => !key.startsWith("__"))
				.map(([key, value]) => [key, withoutSecretMarks(value, key, secretPaths)]),
		);
	const declared = (props: Props = {}) =>
		entry.kind === "PipelineSchedule" && !isFromPlugin(entry.type) ? withoutOldPause(props) : props;
	return {
		urn: entry.urn,
		kind: entry.kind,
		name: nameIn(entry.urn),
		id: entry.id,
		stateUrn: typeof entry.outputs?.__urn === "string" ? entry.outputs.__urn : undefined,
		madeAt: typeof entry.outputs?.__made === "number" ? entry.outputs.__made : undefined,
		inputs: reveal(declared(entry.inputs)),
		outputs: reveal(declared(entry.outputs)),
		secretPaths,
	};
}

/** Version 0.1.0, which stored no URN, noted `paused: false` for every schedule; nobody had declared it. */
function withoutOldPause(props: Props): Props {
	const { paused, ...rest } = props;
	return props.__urn === undefined && paused === false ? rest : props;
}

/** The value as the provider would get it; where it held a secret, the path is remembered. */
function withoutSecretMarks(value: unknown, path: string, secretPaths: Set<string>): unknown {
	if (Array.isArray(value)) {
		return value.map((item, index) => withoutSecretMarks(item, `${path}.${index}`, secretPaths));
	}
	if (typeof value !== "object" || value === null) return value;
	const marked = value as Props;
	if (marked[SIGNATURE_KEY] === SECRET_SIGNATURE) {
		secretPaths.add(path);
		if (typeof marked.plaintext !== "string") {
			throw new Error(
				"The state's secrets could not be decrypted. Give the Pulumi CLI what it needs to read them, such as " +
					"PULUMI_CONFIG_PASSPHRASE, and try again.",
			);
		}
		return withoutSecretMarks(parseJson(marked.plaintext), path, secretPaths);
	}
	return Object.fromEntries(
		Object.entries(marked).map(([key, item]) => [
			key,
			withoutSecretMarks(item, `${path}.${key}`, secretPaths),
		]),
	);
}
