import { type Sample, stepNames, variantNames } from "./model";
import { type Row, summarize } from "./statistics";
import { renderTable, renderTargets } from "./table";
import { targetsOf } from "./targets";

const legend = `Wall: median of the repetitions. CPU: the whole process tree (engine, program, provider), without the server.
Each step is one engine operation (--skip-preview). State: bytes of the checkpoint a resource after the first up.
Memory: peak of the provider process. floor: a native plugin that does nothing, so no request and no delay.
idle: a dynamic provider that does nothing either; what it needs beyond the floor is Pulumi's own Node host.
raw: up, update all, refresh and destroy are one request for each schedule, preview --refresh is one list.`;

/** Table, legend and targets. */
export function renderReport(samples: readonly Sample[]): string {
	const rows = summarize(samples).sort(inOrder);
	const tables = [true, false].flatMap((checkpoints) => {
		const own = rows.filter((row) => row.checkpoints === checkpoints);
		if (own.length === 0) return [];
		return [checkpoints ? "" : "With PULUMI_SKIP_CHECKPOINTS=true:\n", renderTable(own), ""];
	});
	return [...tables, legend, "", "Targets", "", renderTargets(targetsOf(rows))].join("\n");
}

function inOrder(a: Row, b: Row): number {
	return (
		a.n - b.n ||
		a.delayMs - b.delayMs ||
		stepNames.indexOf(a.step) - stepNames.indexOf(b.step) ||
		variantNames.indexOf(a.variant) - variantNames.indexOf(b.variant)
	);
}
