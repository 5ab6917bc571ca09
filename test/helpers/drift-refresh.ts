import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import type { TestDeployment } from "./e2e-deployment";

const eventSchema = z.looseObject({
	resOutputsEvent: z
		.looseObject({ metadata: z.looseObject({ op: z.string(), urn: z.string(), type: z.string() }) })
		.optional(),
});

export type Verdict = "same" | "changed" | "missing";

const VERDICTS: Readonly<Record<string, Verdict>> = { update: "changed", delete: "missing" };

/**
 * What `pulumi refresh --preview-only` decides for each resource of ours, by URN. Taken from the engine's own events:
 * its --json leaves out which resources changed when a provider gives no detailed diff, as no dynamic one does.
 */
export async function refreshVerdicts(test: TestDeployment): Promise<Map<string, Verdict>> {
	const log = join(test.stack.folder, "events.json");
	const { code, stdout, stderr } = await test.stack.refresh(["--preview-only", "--event-log", log]);
	if (code !== 0) throw new Error(`refresh failed (${code}):\n${stdout}\n${stderr}`);
	const verdicts = new Map<string, Verdict>();
	for (const line of readFileSync(log, "utf8").split("\n")) {
		if (line.trim() === "") continue;
		const done = eventSchema.parse(JSON.parse(line)).resOutputsEvent?.metadata;
		if (done?.type.includes("datachain:")) verdicts.set(done.urn, VERDICTS[done.op] ?? "same");
	}
	return verdicts;
}
