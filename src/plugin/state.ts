import { providerStub } from "../boundary/stub";
import type { Props } from "../provider/handler";
import { MADE, ownProperties, PROVIDER, SECRET, URN } from "../provider/host/state-keys";
import { pick } from "../provider/shared/json";
import { KINDS } from "../schemas/kinds";
import type { Which } from "./resource-host";

export const keptInState = ({ urn, kind }: Which, secrets: readonly string[], made?: number): Props => ({
	[URN]: urn,
	...(made !== undefined && { [MADE]: made }),
	...(secrets.length > 0 && { [SECRET]: [...secrets] }),
	[PROVIDER]: providerStub(KINDS[kind].entry),
});

/** As it is in the state; nothing for what was never in one. */
export const handedThrough = (outs: Props): Props => pick(outs, [URN, MADE, SECRET, PROVIDER]);

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
