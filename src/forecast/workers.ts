import type { ClusterLoad } from "./report";
import type { ClusterFacts, PipelineFacts } from "./subject";
import { type ForecastWindow, iso, MINUTE_MS } from "./window";

/** A run of unknown length counts for this long. */
const UNKNOWN_LENGTH_MS = MINUTE_MS;

/** Adds up, minute by minute, the workers that runs ask of each cluster. */
export class WorkerLoad {
	private readonly minutes: number;
	private readonly steps = new Map<string, Int32Array>();

	constructor(
		private readonly window: ForecastWindow,
		private readonly clusters: readonly ClusterFacts[],
	) {
		this.minutes = Math.ceil((window.to - window.from) / MINUTE_MS);
	}

	/** Only the start and the end of a run are noted; the sums come at the end. */
	add(pipeline: PipelineFacts, at: number, length = UNKNOWN_LENGTH_MS): void {
		const name = pipeline.cluster ?? this.clusters.find(({ isDefault }) => isDefault)?.name;
		if (name === undefined) return;
		const steps = this.steps.get(name) ?? new Int32Array(this.minutes + 1);
		this.steps.set(name, steps);
		const first = Math.floor((at - this.window.from) / MINUTE_MS);
		const last = Math.min(this.minutes, first + Math.max(1, Math.ceil(length / MINUTE_MS)));
		steps[first] = (steps[first] ?? 0) + pipeline.workers;
		steps[last] = (steps[last] ?? 0) - pipeline.workers;
	}

	loads(): ClusterLoad[] {
		return [...this.steps]
			.sort(([a], [b]) => (a < b ? -1 : 1))
			.map(([name, steps]) => this.loadOf(name, steps));
	}

	private loadOf(name: string, steps: Int32Array): ClusterLoad {
		const most = this.clusters.find((cluster) => cluster.name === name)?.maxWorkers;
		let [now, peak, peakMinute, over] = [0, 0, 0, 0];
		for (let minute = 0; minute < this.minutes; minute += 1) {
			now += steps[minute] ?? 0;
			if (most !== undefined && now > most) over += 1;
			if (now > peak) [peak, peakMinute] = [now, minute];
		}
		const peakAt = Math.floor(this.window.from / MINUTE_MS + peakMinute) * MINUTE_MS;
		return {
			name,
			maxWorkers: most ?? null,
			peakWorkers: peak,
			peakAt: peak === 0 ? null : iso(peakAt),
			minutesOver: over,
		};
	}
}
