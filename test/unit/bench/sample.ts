import type { Sample } from "../../../bench/speed/model";

/** A sample like any other, with what a test says of it. */
export function sample(given: Partial<Sample>): Sample {
	return {
		variant: "ours",
		step: "up",
		n: 1_000,
		delayMs: 0,
		repetition: 1,
		checkpoints: true,
		wallMs: 1_000,
		cpuMs: undefined,
		memoryBytes: undefined,
		stateBytes: undefined,
		bareStateBytes: undefined,
		requests: 0,
		maxInFlight: 0,
		...given,
	};
}
