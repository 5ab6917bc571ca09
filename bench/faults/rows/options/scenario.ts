import type { Declared } from "../../../../test/helpers/e2e-deployment";
import type { Asked } from "./ledger";

/** Made by the program, or there before it and taken over with `adopt: true`. */
export type Variant = "made" | "adopted";

/**
 * How a scenario's change is deployed: with all the others; by `up --target` and then by a full up; or by an up that
 * the provider or the engine refuses, after which the program is put back.
 */
export type Stage = "together" | "target" | "refused";

/** One change of a program, and which deletions it asks for. */
export interface Scenario {
	readonly name: string;
	readonly stage: Stage;
	readonly before: readonly Declared[];
	readonly after: readonly Declared[];
	readonly asked: Asked;
	/** Of the resources in `after` those that `--target` names. */
	readonly targets?: readonly string[];
	/** Refused changes of one group are deployed together; most refusals end the deployment, and need one of their own. */
	readonly group?: string;
	/** What the program says after a refusal; `before` unless given. */
	readonly settled?: readonly Declared[];
	/** What the full up after `--target` asks for. */
	readonly later?: Asked;
}

export const NOTHING: Asked = { deletes: [], leaves: [] };

export function together(asked: readonly Asked[]): Asked {
	return {
		deletes: asked.flatMap(({ deletes }) => deletes),
		leaves: asked.flatMap(({ leaves }) => leaves),
	};
}
