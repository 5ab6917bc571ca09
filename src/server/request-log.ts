import type { EndpointName } from "../schemas/wire/endpoints";

export interface RequestEntry {
	readonly method: string;
	/** Without the query. */
	readonly path: string;
	readonly query: string;
	/** Undefined for paths that are no endpoint of the REST document. */
	readonly endpoint: EndpointName | undefined;
	/** 0 while the request is under way, and for one that never got a reply. */
	readonly status: number;
}

export type RequestFilter = Partial<
	Pick<RequestEntry, "method" | "path" | "endpoint" | "status">
>;

/** How many requests the log keeps; older ones are forgotten. */
const KEPT = 20_000;

/** What the server was asked, for tests that count requests. */
export class RequestLog {
	#entries: { -readonly [K in keyof RequestEntry]: RequestEntry[K] }[] = [];
	/** Also those that are forgotten. */
	#counts = new Map<EndpointName | undefined, number>();
	#inFlight = 0;
	#maxInFlight = 0;

	get entries(): readonly RequestEntry[] {
		return this.#entries;
	}

	get inFlight(): number {
		return this.#inFlight;
	}

	/** The most requests that were under way at once since the start or the last `clear()`. */
	get maxInFlight(): number {
		return this.#maxInFlight;
	}

	/** By endpoint alone, or all together, also of requests that are forgotten; else of those that are kept. */
	count(filter: RequestFilter = {}): number {
		const asked = Object.keys(filter);
		if (asked.length === 0)
			return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
		if (asked.length === 1 && "endpoint" in filter)
			return this.#counts.get(filter.endpoint) ?? 0;
		return this.#entries.filter((entry) =>
			Object.entries(filter).every(
				([key, value]) => entry[key as keyof RequestFilter] === value,
			),
		).length;
	}

	clear(): void {
		this.#entries = [];
		this.#counts.clear();
		this.#maxInFlight = this.#inFlight;
	}

	/** Called by the server when a request arrives; the result is called once, with the status sent. */
	begin(request: Omit<RequestEntry, "status">): (status: number) => void {
		const entry = { ...request, status: 0 };
		this.#entries.push(entry);
		this.#counts.set(entry.endpoint, (this.#counts.get(entry.endpoint) ?? 0) + 1);
		if (this.#entries.length > KEPT) this.#entries.shift();
		this.#inFlight++;
		this.#maxInFlight = Math.max(this.#maxInFlight, this.#inFlight);
		return (status) => {
			entry.status = status;
			this.#inFlight--;
		};
	}
}
