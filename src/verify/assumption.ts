import type { Description } from "./description";
import type { Outcome } from "./outcome";
import type { ReadingFacts } from "./reading-facts";
import type { Service } from "./service";
import type { WritingFacts } from "./writing-facts";

/** What the probes of each group work with. */
export interface Contexts {
	readonly description: { readonly description: Description };
	readonly reading: { readonly service: Service; readonly facts: ReadingFacts };
	readonly writing: { readonly service: Service; readonly facts: WritingFacts };
}

export type Group = keyof Contexts;

/** Where an assumption comes from: the REST document, the service's Python client, or neither. */
export type Source = "documented" | "observed" | "assumed";

/** One thing that the provider takes for granted about the service. */
export interface Assumption<In extends Group = Group> {
	readonly group: In;
	readonly source: Source;
	readonly sentence: string;
	/** What the provider does if it does not hold. */
	readonly otherwise: string;
	/** False where the provider copes with any difference, so that none of them fails the command. */
	readonly matters: boolean;
	/** Ids of assumptions without which this probe says nothing. */
	readonly needs?: readonly string[];
	probe(context: Contexts[In]): Promise<Outcome>;
}
