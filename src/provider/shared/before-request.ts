import { parseInstant } from "../../schemas/instant";

/** Times of creation are compared by the service's own clock; this much may be lost to rounding. */
const ROUNDING_MILLIS = 2_000;

/** What an interrupted deployment left is taken over within this time; what is older is somebody's. */
export const RECENT_MILLIS = 3_600_000;

interface Item {
	readonly created_at?: string | null | undefined;
}

/** What was there before a create request left: nothing of it can be the request's product. */
export class BeforeRequest<Id> {
	private readonly ids: ReadonlySet<Id>;
	/** The newest time of creation among them, by the service's clock. */
	private readonly newest: number;

	constructor(items: readonly (Item & { readonly id: Id })[]) {
		this.ids = new Set(items.map(({ id }) => id));
		this.newest = Math.max(...items.map((item) => createdAt(item) ?? Number.NEGATIVE_INFINITY));
	}

	has(id: Id): boolean {
		return this.ids.has(id);
	}

	/** Whether the object can be the request's product: not there before, and not made before. */
	mayHaveMade(item: Item & { readonly id: Id }): boolean {
		const isOld = (createdAt(item) ?? Number.POSITIVE_INFINITY) < this.newest - ROUNDING_MILLIS;
		return !this.ids.has(item.id) && !isOld;
	}
}

export const createdAt = ({ created_at }: Item): number | undefined =>
	created_at ? parseInstant(created_at) : undefined;
