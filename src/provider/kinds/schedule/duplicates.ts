import { foldName } from "../../../schemas/primitives";
import type { ProviderContext } from "../../run/context";
import type { ObjectRef, Owners } from "../../run/owners";
import {
	type AskedList,
	type ListedSchedule,
	schedulesById,
	schedulesByName,
} from "../../run/team-lists";

interface Made {
	readonly team: string;
	readonly name: string;
	readonly id: number;
	readonly at: number;
}

const nameKey = ({
	team,
	name,
}: {
	readonly team: string;
	readonly name: string;
}): string => JSON.stringify([team, foldName(name)]);

/** A list as the service answered it, with the moment at which it was asked for. */
interface SeenList {
	readonly team: string;
	readonly askedAt: number;
	readonly items: readonly ListedSchedule[];
}

/** A schedule of the name of one that this run created. */
interface Namesake {
	readonly object: ObjectRef;
	readonly createdAt: string | null | undefined;
}

const refOf = (team: string, id: number): ObjectRef => ({
	kind: "PipelineSchedule",
	team,
	id: String(id),
});

/** How long creates may follow each other without a list. Longer than new schedules share one, so those will usually do. */
const WATCH_MILLIS = 4_000;
/** The same for the last create of several that ran side by side: no later one will look for it. */
const LAST_MILLIS = 1_000;

/**
 * Searches every list for a second schedule of a name that this run created. The service accepts one, so two simultaneous
 * deployments can both create it, and then both schedules run the pipeline.
 */
export class DuplicateWatch {
	private readonly made = new Map<number, Made>();
	/** The ids of those that were made, by team and name in any spelling. */
	private readonly idsByName = new Map<string, Set<number>>();
	private readonly duplicates = new Map<string, Namesake & { readonly text: string }>();
	private readonly absent = new Set<string>();
	/** By team: the resources that are being created now. */
	private readonly creating = new Map<string, Set<string>>();
	/** By team: when the first schedule was made, and when each list since then was asked for. */
	private readonly looks = new Map<
		string,
		{ readonly firstAt: number; readonly askedAt: Set<number> }
	>();

	constructor(private readonly owners: Owners) {}

	/** Looks at a list as soon as the service has answered. */
	follow({ team, askedAt, items }: AskedList): void {
		const request = this.asked(team, askedAt);
		items.then(
			(listed) => this.look({ team, askedAt, items: listed }),
			() => request.failed(),
		);
	}

	/** A resource is being created. */
	begin(team: string, urn: string): void {
		const urns = this.creating.get(team) ?? new Set();
		this.creating.set(team, urns.add(urn));
	}

	/** It was created, or that failed. May be called again. */
	end(team: string, urn: string): void {
		this.creating.get(team)?.delete(urn);
	}

	add(made: Made): void {
		const { team, id, at } = made;
		this.made.set(id, made);
		const key = nameKey(made);
		const ids = this.idsByName.get(key) ?? new Set();
		this.idsByName.set(key, ids.add(id));
		if (!this.looks.has(team))
			this.looks.set(team, { firstAt: at, askedAt: new Set() });
	}

	/** The schedule that this run created under the name, in any spelling. */
	madeAs(team: string, name: string): Made | undefined {
		const [id] = this.idsByName.get(nameKey({ team, name })) ?? [];
		return id === undefined ? undefined : this.made.get(id);
	}

	/** No longer watched: it was deleted. */
	forget(id: number): void {
		const made = this.made.get(id);
		if (made === undefined) return;
		this.made.delete(id);
		this.idsByName.get(nameKey(made))?.delete(id);
	}

	/**
	 * True if a list must be asked for now: creates have followed each other for a while without one, or no other create of the
	 * team is under way that would ask for it.
	 */
	isDue(team: string, now: number): boolean {
		const looks = this.looks.get(team);
		if (looks === undefined) return false;
		const isLast = (this.creating.get(team)?.size ?? 0) === 0;
		const askedAt = Math.max(...looks.askedAt);
		if (isLast) return now - askedAt >= LAST_MILLIS;
		return now - Math.max(askedAt, looks.firstAt) >= WATCH_MILLIS;
	}

	/** A list is asked for. Those that come meanwhile need no other, unless it fails. */
	asked(team: string, at: number): { failed(): void } {
		const looks = this.looks.get(team);
		looks?.askedAt.add(at);
		return { failed: () => void looks?.askedAt.delete(at) };
	}

	look({ team, askedAt, items }: SeenList): void {
		if (this.made.size === 0) return;
		const named = schedulesByName(items);
		for (const made of this.made.values()) {
			if (made.team !== team || made.at > askedAt) continue;
			if (!schedulesById(items).has(made.id))
				this.absent.add(`"${made.name}" (id ${made.id})`);
			for (const { id, created_by, created_at } of named.get(made.name) ?? []) {
				const object = refOf(team, id);
				if (id === made.id || !this.owners.isForeign(object)) continue;
				const by = created_by?.username ?? "an unknown user";
				const ids = `id ${made.id} by this deployment, id ${id} by ${by}`;
				const text = `schedule "${made.name}" in team "${team}" (${ids})`;
				this.duplicates.set(`${made.id} ${id}`, {
					object,
					createdAt: created_at,
					text,
				});
			}
		}
	}

	/** Schedules that this run created and a later list does not show; each is told once. */
	takeAbsent(): string[] {
		const names = [...this.absent];
		this.absent.clear();
		return names;
	}

	/** The duplicates. One that was deleted since, which a list may still show, is none. */
	namesakes(): (Namesake & { readonly text: string })[] {
		return [...this.duplicates.values()].filter(
			({ object }) => !this.owners.isReleased(object),
		);
	}

	/** Undefined if there is no duplicate. */
	problem(): string | undefined {
		const namesakes = this.namesakes();
		if (namesakes.length === 0) return undefined;
		return (
			`Created twice: ${namesakes.map(({ text }) => text).join("; ")}. Another user or deployment created a schedule of the same ` +
			"name at the same time, and each of them runs the pipeline. Delete one of the two in the web UI, then run " +
			'"pulumi up" again.'
		);
	}
}

const watches = new WeakMap<Owners, DuplicateWatch>();

/** The watch of this deployment, which begins with the first schedule that is asked about. */
export function duplicatesOf({
	owners,
	lists,
}: Pick<ProviderContext, "owners" | "lists">): DuplicateWatch {
	const started = watches.get(owners);
	if (started !== undefined) return started;
	const watch = new DuplicateWatch(owners);
	watches.set(owners, watch);
	lists.onSchedules((list) => watch.follow(list));
	return watch;
}
