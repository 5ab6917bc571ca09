import type { Time } from "../../client/read-back";
import type { Kind } from "../../schemas/kinds";
import type { Props } from "../model/props";
import type { ObjectRef, Owners } from "./owners";

/** The engine may ask the provider for a create before the diff of the resource that owns what is in the way. */
export const PATIENCE_MILLIS = 4_000;
export const PAUSE_MILLIS = 250;

/** A resource asks for a name: to create an object under it, or to rename its own object to it. */
export interface NameRequest {
	readonly urn: string;
	readonly to: "create" | "rename";
	readonly kind: Kind;
	readonly team: string;
	readonly name: string;
	/** The declared inputs, which an object must equal to be adopted by the user's consent to equal objects. */
	readonly inputs: Props;
	/** `adopt: true`. */
	readonly adopts: boolean;
	/** The user consents, for this deployment, to adopt what equals the declaration. */
	readonly adoptsEqual: boolean;
}

/** An object that has the name, compared with the declaration. */
export interface Candidate<Live> {
	readonly id: string;
	readonly live: Live;
	readonly equal: boolean;
	/** False if no request could make it what is declared; undefined if it cannot be read. */
	readonly fits: boolean | undefined;
}

export interface Refusal<Live> {
	readonly why: "foreign" | "several" | "unfit";
	readonly first: Candidate<Live>;
	readonly all: readonly Candidate<Live>[];
}

export type Verdict<Live> =
	| { readonly do: "proceed" }
	| { readonly do: "adopt"; readonly object: Candidate<Live> }
	| ({ readonly do: "refuse" } & Refusal<Live>);

/** Rule 2: what a resource may do with a name, given the foreign objects that have it. */
export function decide<Live>(
	request: NameRequest,
	foreign: readonly Candidate<Live>[],
): Verdict<Live> {
	const [first] = foreign;
	if (first === undefined) return { do: "proceed" };
	const refuse = (why: Refusal<Live>["why"]): Verdict<Live> => ({
		do: "refuse",
		why,
		first,
		all: foreign,
	});
	if (request.to === "rename") return refuse("foreign");
	if (foreign.length > 1) return refuse("several");
	const consents = request.adopts || (request.adoptsEqual && first.equal);
	if (!consents) return refuse("foreign");
	return first.fits ? { do: "adopt", object: first } : refuse("unfit");
}

/** How a kind finds the objects of a name. */
export interface NameSearch<Live> {
	/** From a fresh list, or from one that may be some seconds old. */
	list(
		request: NameRequest,
		from: "recent" | "now",
	): Promise<readonly Candidate<Live>[]>;
	/** The object as a request of its own shows it; undefined if it is gone. */
	detail(
		request: NameRequest,
		candidate: Candidate<Live>,
	): Promise<Candidate<Live> | undefined>;
}

interface Deployment {
	readonly owners: Owners;
	readonly time: Time;
}

const refOf = (
	{ kind, team }: NameRequest,
	{ id }: { readonly id: string },
): ObjectRef => ({
	kind,
	team,
	id,
});

/** Without those that a resource of this deployment owns: they leave the name, or their resource is refused. */
function foreignOf<Live>(
	{ owners }: Pick<Deployment, "owners">,
	request: NameRequest,
	candidates: readonly Candidate<Live>[],
): Candidate<Live>[] {
	return candidates.filter((candidate) => owners.isForeign(refOf(request, candidate)));
}

/**
 * Waits until the name is free or its object may be adopted, at most as long as another resource may need for its turn. An
 * object that is adopted belongs to the resource from then on.
 */
export async function checkName<Live>(
	deployment: Deployment,
	request: NameRequest,
	search: NameSearch<Live>,
): Promise<Verdict<Live>> {
	const { owners, time } = deployment;
	const mayConsent = request.to === "create" && (request.adopts || request.adoptsEqual);
	const startedAt = time.now();
	let isLookDue = mayConsent;
	for (;;) {
		const isLast = time.now() - startedAt >= PATIENCE_MILLIS;
		const listed = foreignOf(deployment, request, await search.list(request, "recent"));
		if (listed.length === 0) return { do: "proceed" };
		if (isLast || isLookDue) {
			const verdict = await look(
				deployment,
				request,
				search,
				isLast ? "now" : "recent",
			);
			const isTaken =
				verdict.do === "adopt" &&
				!owners.take(request.urn, refOf(request, verdict.object));
			if (!isTaken && (isLast || verdict.do !== "refuse")) return verdict;
			isLookDue = isTaken;
		}
		await time.sleep(PAUSE_MILLIS);
	}
}

/** Each foreign object is requested by its id: a list leaves fields out, and may lag behind. */
async function look<Live>(
	deployment: Deployment,
	request: NameRequest,
	search: NameSearch<Live>,
	from: "recent" | "now",
): Promise<Verdict<Live>> {
	const listed = foreignOf(deployment, request, await search.list(request, from));
	const details = await Promise.all(
		listed.map((candidate) => search.detail(request, candidate)),
	);
	const present = details.filter((candidate) => candidate !== undefined);
	// Another resource may have had its turn meanwhile.
	return decide(request, foreignOf(deployment, request, present));
}

/** The verdict of a preview, which must not wait: as if every other resource had had its turn. */
export async function previewName<Live>(
	deployment: Pick<Deployment, "owners">,
	request: NameRequest,
	search: NameSearch<Live>,
): Promise<Verdict<Live>> {
	const listed = foreignOf(deployment, request, await search.list(request, "recent"));
	const details = await Promise.all(
		// A preview does not promise to adopt an object that it cannot read.
		listed.map(
			async (candidate) =>
				(await search.detail(request, candidate)) ?? { ...candidate, fits: false },
		),
	);
	return decide(request, foreignOf(deployment, request, details));
}

/**
 * The verdict of a step's preview, where other resources have their turn meanwhile. It waits like a deployment, and takes
 * nothing.
 */
export async function previewNameOfStep<Live>(
	deployment: Deployment,
	request: NameRequest,
	search: NameSearch<Live>,
): Promise<Verdict<Live>> {
	const { time } = deployment;
	const until = time.now() + PATIENCE_MILLIS;
	let verdict = await previewName(deployment, request, search);
	while (verdict.do === "refuse" && time.now() < until) {
		await time.sleep(PAUSE_MILLIS);
		const left = foreignOf(deployment, request, verdict.all);
		if (left.length < verdict.all.length)
			verdict = await previewName(deployment, request, search);
	}
	return verdict.do === "refuse" ? look(deployment, request, search, "now") : verdict;
}

/**
 * Whether a deployment will refuse for certain. An equal object may be the resource's own, if its replacement was asked for;
 * one that the state has may be deleted first.
 */
export const isCertain = <Live>(
	{ owners }: Pick<Deployment, "owners">,
	request: NameRequest,
	{ all }: Refusal<Live>,
): boolean =>
	!all.some((candidate) => {
		const mayBeOwn = request.to === "create" && candidate.equal;
		return mayBeOwn || owners.mayBeReleased(refOf(request, candidate));
	});
