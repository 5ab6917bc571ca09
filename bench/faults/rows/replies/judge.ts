import { inspect } from "node:util";
import { DataChainError } from "../../../../src/api";
import { UnclearError } from "../../../../src/provider/outcome";

/** Everything a person or a log could see of an error; what a half-done write keeps for the state is in `properties`. */
export function visible(error: unknown): string {
	if (!(error instanceof Error)) return inspect(error);
	const { properties, ...shown } = error as Error & { properties?: unknown };
	return [error.message, error.stack, inspect(shown, { depth: 6 }), JSON.stringify(shown)].join("\n");
}

/** Why an error is not one of those we throw on purpose; undefined where it is. */
export function strange(error: unknown, fromHandler: boolean): string | undefined {
	if (error instanceof DataChainError && error.message !== "") return undefined;
	if (!(error instanceof Error)) return inspect(error);
	// The handlers write their own refusals as plain errors, or say that an outcome is unclear; a TypeError or its kin is
	// never on purpose.
	const isOurs = error.constructor === Error || error instanceof UnclearError;
	const refusal = isOurs && error.message.length > 20;
	return fromHandler && refusal ? undefined : `${error.constructor.name}: ${error.message.slice(0, 200)}`;
}

const PROTOTYPES = [Object, Array, Function, String, Number].map(({ prototype }) => prototype as object);
const known = PROTOTYPES.map((prototype) => Reflect.ownKeys(prototype).length);

/** True where a built-in prototype has gained or lost a property, or something in the result has one of the reply's. */
export const isPolluted = (value: unknown): boolean =>
	PROTOTYPES.some((prototype, index) => Reflect.ownKeys(prototype).length !== known[index]) ||
	hasForeignPrototype(value, { steps: 2_000 });

function hasForeignPrototype(value: unknown, left: { steps: number }): boolean {
	if (typeof value !== "object" || value === null || left.steps-- <= 0) return false;
	const prototype: unknown = Object.getPrototypeOf(value);
	if (prototype !== Object.prototype && prototype !== Array.prototype && prototype !== null) return true;
	return Object.values(value).some((inside) => hasForeignPrototype(inside, left));
}
