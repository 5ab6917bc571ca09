import type { Findings } from "./watch";

const PEAK_GROWTH_MEGABYTES = 250;
const HEAP_GROWTH_MEGABYTES = 40;
const MEGABYTE = 1024 * 1024;

/** Notes in the findings how far the process grew from here on, and whether it kept what it took. */
export function watchMemory(findings: Findings): { end(): void } {
	const before = measure();
	let peak = before.rss;
	const timer = setInterval(() => {
		peak = Math.max(peak, process.memoryUsage().rss);
	}, 50);
	return {
		end() {
			clearInterval(timer);
			const grown = (peak - before.rss) / MEGABYTE;
			const kept = (measure().heapUsed - before.heapUsed) / MEGABYTE;
			findings.peakMegabytes = Math.round(peak / MEGABYTE);
			if (grown > PEAK_GROWTH_MEGABYTES) findings.memory.push(`the process grew by ${Math.round(grown)} MB`);
			if (kept > HEAP_GROWTH_MEGABYTES) findings.memory.push(`${Math.round(kept)} MB of heap stayed in use`);
		},
	};
}

function measure(): NodeJS.MemoryUsage {
	globalThis.gc?.();
	return process.memoryUsage();
}
