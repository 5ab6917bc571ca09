import { inspect } from "node:util";
import { DataChainError } from "../../../../src/api";
import type { Canaries } from "./calls";

/** What the client process found, ready to be sent to the bench. */
export interface Findings {
	crashes: string[];
	hangs: string[];
	leaks: string[];
	polluted: string[];
	memory: string[];
	validTaken: number;
	validRefused: string[];
	/** How the spoilt replies ended, by the error's name; `taken` where the reply was usable all the same. */
	outcomes: Record<string, number>;
	peakMegabytes: number;
}

export const noFindings = (): Findings => ({
	crashes: [],
	hangs: [],
	leaks: [],
	polluted: [],
	memory: [],
	validTaken: 0,
	validRefused: [],
	outcomes: {},
	peakMegabytes: 0,
});

const FRAGMENT = 8;

/** Pieces of the secrets: a message that holds one of them leaked that much. */
function fragmentsOf({ token, environment, password }: Canaries): string[] {
	return [token, ...environment, password].flatMap((secret) =>
		Array.from({ length: Math.floor(secret.length / FRAGMENT) }, (_, piece) =>
			secret.slice(piece * FRAGMENT, (piece + 1) * FRAGMENT),
		),
	);
}

/** True where the text holds a piece of a secret. */
export const leakFinder = (canaries: Canaries): ((text: string) => boolean) => {
	const fragments = fragmentsOf(canaries);
	return (text) => fragments.some((fragment) => text.includes(fragment));
};

/** Everything a person or a log could see of an error. */
export function visible(error: unknown): string {
	if (!(error instanceof Error)) return inspect(error);
	return [error.message, error.stack, inspect(error, { depth: 6 }), JSON.stringify(error)].join("\n");
}

/** Why an error is not one of those we throw on purpose; undefined where it is. */
export function strange(error: unknown, fromHandler: boolean): string | undefined {
	if (error instanceof DataChainError && error.message !== "") return undefined;
	// The handlers write their own refusals as plain errors; a TypeError or its kin is never on purpose.
	if (fromHandler && error instanceof Error && error.constructor === Error && error.message.length > 20) {
		return undefined;
	}
	return error instanceof Error
		? `${error.constructor.name}: ${error.message.slice(0, 200)}`
		: inspect(error);
}

const PROTOTYPES = [
	Object.prototype,
	Array.prototype,
	Function.prototype,
	String.prototype,
	Number.prototype,
];
const known = PROTOTYPES.map((prototype) => Reflect.ownKeys(prototype).length);

/** True where a built-in prototype has gained or lost a property. */
export const isPolluted = (): boolean =>
	PROTOTYPES.some((prototype, index) => Reflect.ownKeys(prototype).length !== known[index]);

/** True where something in the result has a prototype that came with the reply. */
export function hasForeignPrototype(value: unknown, left = { steps: 2_000 }): boolean {
	if (typeof value !== "object" || value === null || left.steps <= 0) return false;
	left.steps -= 1;
	const prototype: unknown = Object.getPrototypeOf(value);
	if (prototype !== Object.prototype && prototype !== Array.prototype && prototype !== null) return true;
	// Deep replies are cut by the step count only in breadth, so the depth is bounded by it as well.
	return Object.values(value).some((inside) => hasForeignPrototype(inside, left));
}
