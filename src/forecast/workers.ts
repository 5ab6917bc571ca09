import type { ClusterLoad } from "./report";
import type { ClusterFacts, PipelineFacts } from "./subject";
import { type ForecastWindow, iso, MINUTE_MS } from "./window";

/** A run of unknown length counts for this long. */
const UNKNOWN_LENGTH_MS = MINUTE_MS;

/** Adds up, minute by minute, the workers that runs ask of each cluster. */
export function workerLoad(window: ForecastWindow, clusters: readonly ClusterFacts[]) {
	const minutes = Math.ceil((window.to - window.from) / MINUTE_MS);
	const all = new Map<string, Int32Array>();
	const usual = clusters.find(({ isDefault }) => isDefault)?.name;
	/** Only the start and the end of a run are noted; the sums come at the end. */
	const add = (pipeline: PipelineFacts, at: number, length = UNKNOWN_LENGTH_MS): void => {
		const name = pipeline.cluster ?? usual;
		if (name === undefined) return;
		const steps = all.get(name) ?? new Int32Array(minutes + 1);
		all.set(name, steps);
		const first = Math.floor((at - window.from) / MINUTE_MS);
		const last = Math.min(minutes, first + Math.max(1, Math.ceil(length / MINUTE_MS)));
		steps[first] = (steps[first] ?? 0) + pipeline.workers;
		steps[last] = (steps[last] ?? 0) - pipeline.workers;
	};
	const loadOf = ([name, steps]: [string, Int32Array]): ClusterLoad => {
		const most = clusters.find((cluster) => cluster.name === name)?.maxWorkers;
		let [now, peak, peakMinute, over] = [0, 0, 0, 0];
		for (let minute = 0; minute < minutes; minute += 1) {
			now += steps[minute] ?? 0;
			if (most !== undefined && now > most) over += 1;
			if (now > peak) [peak, peakMinute] = [now, minute];
		}
		const peakAt = Math.floor(window.from / MINUTE_MS + peakMinute) * MINUTE_MS;
		return {
			name,
			maxWorkers: most ?? null,
			peakWorkers: peak,
			peakAt: peak === 0 ? null : iso(peakAt),
			minutesOver: over,
		};
	};
	return { add, loads: () => [...all].sort(([a], [b]) => (a < b ? -1 : 1)).map(loadOf) };
}
