import { providerStub } from "../boundary/stub";
import type { Props } from "../provider/handler";
import { pick } from "../provider/shared/json";
import { KINDS, type Kind } from "../schemas/kinds";

/**
 * What the state keeps beside the user's properties, in the words of the dynamic host: whose it is, when it was made,
 * which inputs were secret, and the line by which the dynamic host finds its provider. Both hosts read and write the
 * same state, so that a stack can move from one to the other and back.
 */
const URN = "__urn";
const MADE = "__made";
const SECRET = "__secret";
const PROVIDER = "__provider";

export interface Kept {
	readonly urn: string;
	readonly kind: Kind;
	readonly secrets: readonly string[];
	readonly made?: number | undefined;
}

export const keptInState = ({ urn, kind, secrets, made }: Kept): Props => ({
	[URN]: urn,
	...(made !== undefined && { [MADE]: made }),
	...(secrets.length > 0 && { [SECRET]: [...secrets] }),
	[PROVIDER]: providerStub(KINDS[kind].entry),
});

/** As it is in the state; nothing for what was never in one. */
export const handedThrough = (outs: Props): Props => pick(outs, [URN, MADE, SECRET, PROVIDER]);

/** The handlers see the user's properties only. */
export const ownProperties = (props: Props): Props =>
	Object.fromEntries(Object.entries(props).filter(([key]) => !key.startsWith("__")));

/** Version 0.1.0 stored `paused: false` for every schedule that declared nothing; that was no declaration. */
export function declaredProperties(props: Props): Props {
	const { paused, ...rest } = ownProperties(props);
	return isFrom010(props) && paused === false ? rest : ownProperties(props);
}

export const stateUrn = (outs: Props): string | undefined =>
	typeof outs[URN] === "string" ? outs[URN] : undefined;

export const madeAt = (outs: Props): number | undefined =>
	typeof outs[MADE] === "number" ? outs[MADE] : undefined;

/** States of version 0.1.0 say neither whose they are nor what was secret. */
export const isFrom010 = (outs: Props): boolean => PROVIDER in outs && !(URN in outs);
