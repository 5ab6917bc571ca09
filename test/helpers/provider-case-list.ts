import { expect } from "vitest";
import type { Declared, Stack } from "./provider-engine";
import { providerWorld, type World } from "./provider-harness";

/** What every resource kind must stand. */
export const CASES = {
	found: "a refresh finds the object as it was left, and nothing changes",
	changed: "a refresh shows what somebody changed, and the next deployment puts it right",
	gone: "an object that the service says is gone leaves the state, and deleting it succeeds",
	proxy404: "a 404 that is not the service's own keeps the state",
	lostReply: "a create whose reply is lost makes one object and knows it",
	lostDelete: "a delete whose reply is lost succeeds",
	badGateway: "a 502 in place of a create makes no second object, now or later",
	unreadable: "a reply that breaks off is no success and makes no second object",
	owned: "what another resource of the program holds is neither taken nor deleted",
	staleList: "a list that lags behind leads to nothing twice and nothing lost",
	lateEffect: "an effect that comes later than the reply is waited for",
	partialWrite: "what is made and not as declared stays in the state, and the next deployment mends it",
	wrongService: "an object that another service does not know keeps its state",
	unauthorized: "a refusal surfaces with what to do, and changes nothing",
} as const;
export type Case = keyof typeof CASES;

export interface Scene {
	readonly world: World;
	readonly stack: Stack;
}
export type Proof = (scene: Scene) => Promise<void>;
/** A case that cannot come up for a kind says why. */
export interface NotFor {
	readonly notFor: string;
}

export const deployed = async ({ stack }: Scene, program: readonly Declared[]): Promise<void> => {
	expect((await stack.up(program)).failures).toEqual([]);
};
export const unchanged = async ({ stack, world }: Scene, program: readonly Declared[]): Promise<void> => {
	world.writes();
	await stack.refresh();
	const run = await stack.up(program);
	expect(run.failures).toEqual([]);
	expect(run.steps.every((step) => step.startsWith("same "))).toBe(true);
	expect(world.writes()).toEqual([]);
};
export const elsewhere = async (): Promise<NodeJS.ProcessEnv> => {
	const { server } = await providerWorld();
	const { DATACHAIN_STUDIO_URL, DATACHAIN_STUDIO_TOKEN } = server.environment;
	return { DATACHAIN_STUDIO_URL, DATACHAIN_STUDIO_TOKEN };
};
export const SECOND = 1_000;

/** How one kind stands each case. */
export type Proofs = Readonly<Record<Case, Proof | NotFor>>;
