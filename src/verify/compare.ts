import type { Field, Form, JsonType } from "./form";

/** A place where the service's description is not what the provider takes for granted. */
export interface Finding {
	readonly place: Place;
	/** Dotted, if it is a field of a field. */
	readonly path: string;
	readonly problem: string;
	/** False where the provider works all the same. */
	readonly matters: boolean;
}

type Place = "parameter" | "request field" | "response field";

/** What a comparison adds to. */
export interface Findings {
	readonly differences: Finding[];
	/** What the service has and the provider does not know. */
	readonly news: string[];
}

type Fields = ReadonlyMap<string, Field>;

/** The fields that the provider sends against those that the service takes. `always` are those that every request has. */
export function compareRequest(
	place: Place,
	ours: Fields,
	theirs: Fields,
	always: readonly string[],
	{ differences, news }: Findings,
): void {
	const differs = (path: string, problem: string) =>
		differences.push({ place, path, problem, matters: true });
	for (const [name, { form, required }] of ours) {
		const described = theirs.get(name);
		if (described === undefined) {
			differs(name, "not described");
			continue;
		}
		if (described.required && !required && !always.includes(name))
			differs(name, "required");
		for (const problem of problemsOfSent(form, described.form)) differs(name, problem);
	}
	for (const [name, { required }] of theirs) {
		if (ours.has(name)) continue;
		if (required) differs(name, "required, and not known");
		else news.push(`${place} ${name}`);
	}
}

/** Of several types that we may send, one that the service takes is enough: the value came from the service. */
function* problemsOfSent(ours: Form, theirs: Form): Generator<string> {
	const { types } = theirs;
	if (ours.types !== undefined && types !== undefined) {
		if (![...ours.types].some((type) => isAmong(type, types))) {
			yield `${typeText(theirs)} and not ${typeText(ours)}`;
			return;
		}
	}
	const refused = (ours.values ?? []).filter(
		(value) => theirs.values?.includes(value) === false,
	);
	if (refused.length > 0) yield `without the value ${refused.join(", ")}`;
	if (ours.items !== undefined && theirs.items !== undefined)
		for (const problem of problemsOfSent(ours.items, theirs.items))
			yield `its elements ${problem}`;
}

/** What the provider reads against what the service says it answers with. */
export function compareReply(
	ours: Form,
	theirs: Form,
	findings: Findings,
	path = "",
): void {
	const differs = (at: string, problem: string, matters = true) =>
		findings.differences.push({
			place: "response field",
			path: at || "(all)",
			problem,
			matters,
		});
	const strange = problemOfRead(ours, theirs);
	if (strange !== undefined) differs(path, strange);
	if (ours.items !== undefined && theirs.items !== undefined)
		compareReply(ours.items, theirs.items, findings, path);
	if (ours.fields === undefined || theirs.fields === undefined) return;
	for (const [name, { form, required, tolerant = false }] of ours.fields) {
		const at = path === "" ? name : `${path}.${name}`;
		const described = theirs.fields.get(name);
		if (described === undefined) {
			differs(at, "not described", !tolerant);
			continue;
		}
		const { nullable, types } = described.form;
		if (required && nullable && types !== undefined) differs(at, "may be null");
		if (!tolerant) {
			compareReply(form, described.form, findings, at);
			continue;
		}
		const problem = problemOfRead(form, described.form);
		if (problem !== undefined) differs(at, problem, false);
	}
	for (const name of theirs.fields.keys())
		if (!ours.fields.has(name))
			findings.news.push(`response field ${path === "" ? name : `${path}.${name}`}`);
}

/** Every type that the service may answer with must be one that can be read. */
function problemOfRead(ours: Form, theirs: Form): string | undefined {
	const { types } = ours;
	if (types === undefined || theirs.types === undefined) return undefined;
	const isReadable = [...theirs.types].every((type) => isAmong(type, types));
	return isReadable ? undefined : `${typeText(theirs)} and not ${typeText(ours)}`;
}

const isAmong = (type: JsonType, types: ReadonlySet<JsonType>): boolean =>
	types.has(type) || (type === "integer" && types.has("number"));

const typeText = ({ types }: Form): string =>
	[...(types ?? ["anything"])].sort().join(" or ");

/** In few words, what matters first: `not described: response field steps, params`. */
export function differenceText(differences: readonly Finding[]): string {
	const groups = new Map<string, string[]>();
	for (const { place, path, problem } of [...differences].sort(
		(a, b) => Number(b.matters) - Number(a.matters),
	)) {
		const about = `${problem}: ${place}`;
		groups.set(about, [...(groups.get(about) ?? []), path]);
	}
	return [...groups].map(([about, paths]) => `${about} ${paths.join(", ")}`).join("; ");
}
