import type { ScheduleItem } from "../../schemas/wire/schedule";
import type { Ownership } from "../ownership";
import { perList } from "./per-list";

interface Made {
	readonly team: string;
	readonly name: string;
	readonly id: number;
	readonly at: number;
}

/** A list as the service answered it, with the moment at which it was asked for. */
export interface SeenList {
	readonly team: string;
	readonly askedAt: number;
	readonly items: readonly ScheduleItem[];
}

/** The list sorted out by name. */
export const byName = perList(
	(items: readonly ScheduleItem[]): ReadonlyMap<string, readonly ScheduleItem[]> => {
		const found = new Map<string, ScheduleItem[]>();
		for (const item of items) {
			const name = item.schedule_name ?? "";
			const list = found.get(name);
			if (list) list.push(item);
			else found.set(name, [item]);
		}
		return found;
	},
);

/** How long the watch may go without a list. Longer than new schedules share one, so that most often those will do. */
const WATCH_MILLIS = 4_000;

/**
 * Looks for second schedules of the names that this run made. The service refuses no second schedule of a name, so
 * two deployments at once can both make one; whoever sees it must say so, because both schedules run the pipeline.
 */
export class TwinWatch {
	private readonly made = new Map<number, Made>();
	private readonly found = new Map<string, string>();
	private readonly absent = new Set<string>();
	private lookedAt = Number.NEGATIVE_INFINITY;

	constructor(private readonly ownership: Ownership) {}

	add(made: Made): void {
		this.made.set(made.id, made);
	}

	/** The id of what this run made under the name. */
	idOf(team: string, name: string): number | undefined {
		return [...this.made.values()].find((made) => made.team === team && made.name === name)?.id;
	}

	/** No longer watched: it was deleted. */
	forget(id: number): void {
		this.made.delete(id);
	}

	/** True where no list was looked through for a while, so that one must be asked for. */
	isDue(now: number): boolean {
		return now - this.lookedAt >= WATCH_MILLIS;
	}

	look({ team, askedAt, items }: SeenList): void {
		if (this.made.size === 0) return;
		this.lookedAt = Math.max(this.lookedAt, askedAt);
		const named = byName(items);
		for (const made of this.made.values()) {
			if (made.team !== team || made.at > askedAt) continue;
			const namesakes = named.get(made.name) ?? [];
			if (!namesakes.some(({ id }) => id === made.id)) this.absent.add(`"${made.name}" (id ${made.id})`);
			for (const { id, created_by } of namesakes) {
				if (id === made.id || !this.isForeign(team, id)) continue;
				const by = created_by?.username ?? "an unknown user";
				const ids = `id ${made.id} by this deployment, id ${id} by ${by}`;
				this.found.set(`${made.id} ${id}`, `schedule "${made.name}" in team "${team}" (${ids})`);
			}
		}
	}

	/** What this run made and a later list does not show; each is told once. */
	takeAbsent(): string[] {
		const names = [...this.absent];
		this.absent.clear();
		return names;
	}

	/** Undefined as long as nothing was made twice. */
	problem(): string | undefined {
		if (this.found.size === 0) return undefined;
		return (
			`Made twice: ${[...this.found.values()].join("; ")}. Somebody else, or another deployment, made a schedule of the ` +
			"same name at the same time, and each of them runs the pipeline. Delete the one that is not wanted in the web UI, " +
			'then run "pulumi up" again.'
		);
	}

	private isForeign(team: string, id: number): boolean {
		const fate = this.ownership.fate({ kind: "PipelineSchedule", team, id: String(id) });
		return fate.is === "unknown" && !fate.ours;
	}
}
