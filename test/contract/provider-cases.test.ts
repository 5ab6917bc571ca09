import { describe, expect, it } from "vitest";
import { KINDS, type Kind } from "../../src/schemas/kinds";
import { CASES, type Proofs } from "../helpers/provider-case-list";
import { Stack } from "../helpers/provider-engine";
import { FILE_PROOFS } from "../helpers/provider-file-cases";
import { providerWorld } from "../helpers/provider-harness";
import { JOB_PROOFS } from "../helpers/provider-job-cases";
import { PIPELINE_PROOFS } from "../helpers/provider-pipeline-cases";
import { SCHEDULE_PROOFS } from "../helpers/provider-schedule-cases";
import { SETTINGS_PROOFS } from "../helpers/provider-settings-cases";

const PROOFS: Record<Kind, Proofs> = {
	PipelineSchedule: SCHEDULE_PROOFS,
	PipelineSettings: SETTINGS_PROOFS,
	JobFile: FILE_PROOFS,
	Pipeline: PIPELINE_PROOFS,
	Job: JOB_PROOFS,
};

describe("the list of required cases", () => {
	it("has every resource kind, and every kind fills every case or says why not", () => {
		expect(Object.keys(PROOFS).sort()).toEqual(Object.keys(KINDS).sort());
		for (const [kind, proofs] of Object.entries(PROOFS)) {
			expect(Object.keys(proofs).sort(), kind).toEqual(Object.keys(CASES).sort());
			for (const proof of Object.values(proofs)) {
				if (typeof proof !== "function") expect(proof.notFor).toMatch(/^.{40,}\.$/);
			}
		}
	});
});

describe.each(Object.entries(PROOFS))("%s", (_, proofs) => {
	for (const [name, behaviour] of Object.entries(CASES)) {
		const proof = Object.entries(proofs).find(([filled]) => filled === name)?.[1];
		if (typeof proof !== "function") continue;
		it(behaviour, async () => {
			const world = await providerWorld();
			await proof({ world, stack: new Stack(world) });
		});
	}
});
