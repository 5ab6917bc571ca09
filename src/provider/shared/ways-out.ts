import { ADOPT_EQUAL } from "../context";

/** What a refusal can advise beside `adopt: true`: each for its own reason. */

/** Only a refresh shows the provider what is in the state, beside the resource whose turn it is. */
export const ifOurs = (gives: string): string =>
	`If another resource of this stack ${gives}, run "pulumi up --refresh", which knows what this stack has.`;

export const ifInterrupted = (made: string): string =>
	`If an interrupted deployment of yours made ${made}, run once with ${ADOPT_EQUAL}=true, which takes over what is equal.`;
