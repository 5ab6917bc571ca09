import type { Call } from "../context";
import type { DiffResult } from "../handler";
import type { ObjectRef } from "../ownership";
import { resourceName } from "../urn";

/** The resource gets another object, for the sake of this field; the one it has goes first. */
export const anew = (field: string): DiffResult => ({
	changes: true,
	replaces: [field],
	deleteBeforeReplace: true,
});

/**
 * Notes in the run's account whether the resource keeps its object or leaves it. Where another resource took the object
 * over first, this one gets one of its own: `otherwise`.
 */
export function held(call: Call, object: ObjectRef, result: DiffResult, otherwise: DiffResult): DiffResult {
	// A refresh asks too, also for what the program no longer has: that says nothing of who owns what.
	if (!call.ownership.isDeclared(call.urn)) return result;
	const holder = call.ownership.holder(object);
	if (holder !== undefined && holder !== call.urn) return otherwise;
	if (result.replaces.length > 0) call.ownership.leave(call.urn, object);
	else call.ownership.keep(call.urn, object);
	return result;
}

/** Lets the object go, unless another resource of the program has it now, which is told. */
export async function letGo(
	call: Call,
	object: ObjectRef,
	tell: (holder: string) => void,
	end: () => Promise<void>,
): Promise<void> {
	const remove = async () => {
		try {
			await end();
			call.ownership.deleteEnded(object, "gone");
		} catch (error) {
			call.ownership.deleteEnded(object, "stuck");
			throw error;
		}
	};
	const holder = call.ownership.heldAgainst(object, remove);
	if (holder === undefined) return remove();
	tell(holder);
}

/** `stays` says what did not happen; a resource that is replaced need not be told of itself. */
export const tellHolder = (call: Call, stays: string) => (holder: string) => {
	if (holder === call.stateUrn) return;
	call.notice(`${stays}: resource ${resourceName(holder)} of this program manages it now.`);
};
