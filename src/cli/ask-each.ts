import { NotFoundError } from "../api";

/** Requests under way at once: quick enough for a large team, and no burden for the service. */
const CONCURRENT = 8;

/** Asks for all of them, a few at a time; those that the service no longer has are not in the result. */
export async function askEach<Item, Found>(
	items: readonly Item[],
	ask: (item: Item) => Promise<Found>,
	tick: () => void,
): Promise<Found[]> {
	const found: Found[] = [];
	const waiting = queue(items);
	const work = async () => {
		for (const item of waiting) {
			try {
				found.push(await ask(item));
			} catch (error) {
				if (!(error instanceof NotFoundError && error.fromService)) throw error;
			} finally {
				tick();
			}
		}
	};
	await Promise.all(Array.from({ length: CONCURRENT }, work));
	return found;
}

/** A generator: unlike an array's iterator it ends with the first loop that fails, and no worker takes anything new. */
function* queue<Item>(items: readonly Item[]): Generator<Item, void> {
	yield* items;
}
