import { expect, it } from "vitest";
import { Process, urnOf } from "../../bench/faults/process";
import { StackModel } from "../../bench/faults/rows/model/engine-model";
import { handlerOf } from "../../src/provider/hosting";
import { dynamicType } from "../../src/schemas/kinds";
import { manualClock } from "../../src/server";
import { plainCases, storageCases, storageFields } from "../helpers/drift-cases";
import { driftTeam } from "../helpers/drift-team";

const DAY = 24 * 60 * 60_000;
/** The same configs in every run: a gate must answer alike. */
const CASES = [...plainCases, ...storageCases(Number(process.env.DRIFT_SEED ?? 1))];

/** Fields that nobody can change behind Pulumi's back: instructions to the provider, and what no request moves. */
const NOT_ON_THE_SERVICE = ["pipelineName", "teamName", "timeZone", "adopt", "onDestroy"];
/** Fields that the service never shows. */
const NEVER_SHOWN = ["files", "credentialsNames"];

it.each(["PipelineSchedule", "PipelineSettings"] as const)("every field of %s has a case below", (kind) => {
	const covered = CASES.filter((each) => each.kind === kind && each.named.length > 0).map(
		({ covers }) => covers,
	);
	const fields = Object.keys(handlerOf(kind).fields).filter((field) => field !== "storage");
	const storage = kind === "PipelineSettings" ? storageFields() : [];
	const without = [...fields, ...storage].filter((field) => !covered.includes(field));
	expect(without.filter((field) => ![...NOT_ON_THE_SERVICE, ...NEVER_SHOWN].includes(field))).toEqual([]);
});

it("drift names exactly the fields that somebody changed, and up repairs them", async () => {
	// Each case has a pipeline and a resource of its own, made by the provider.
	const program = CASES.map(({ kind, covers, declared }, index) => {
		return { kind, name: `${index} ${covers}`, args: { ...declared, pipelineName: `pipeline-${index}` } };
	});
	// Spellings are stored as they are sent; the clock is moved by hand.
	const options = { normalise: false, clock: manualClock(new Date().toISOString()) };
	const pipelines = program.map(({ args }) => args.pipelineName);
	const { server, env, others, check } = await driftTeam(pipelines, options);
	const stack = new StackModel();
	const up = (refresh: boolean) =>
		stack.command("up", program, { parallel: 8, refresh }, (run) => new Process({ ...run, env }));
	const byCommand = async (): Promise<Found> => {
		const { changed, missing, failed } = await check(
			stack.entries.map(({ kind, name, id, inputs, outs }) => ({
				urn: urnOf(kind, name),
				type: dynamicType(kind),
				id,
				inputs,
				outputs: outs,
			})),
		);
		expect([missing, failed]).toEqual([[], []]);
		return Object.fromEntries(
			changed.map(({ resource, fields }) => [resource, fields.map(({ field }) => field).sort()]),
		);
	};
	expect((await up(false)).failures).toEqual([]);
	expect(await byCommand()).toEqual({});
	// A day passes: schedules run, jobs end, next_run and latest_run change. None of it is drift.
	server.clock.advance(DAY);
	const found: Found = {};
	for (const [index, { change, named }] of CASES.entries()) {
		const name = program[index]?.name ?? "";
		const { scheduleId = 0 } = stack.entries.find((entry) => entry.name === name)?.outs ?? {};
		change({ team: others, pipeline: `pipeline-${index}`, id: Number(scheduleId) });
		if (named.length > 0) found[name] = [...named].sort();
	}
	expect(await byCommand()).toEqual(found);
	expect((await up(true)).failures).toEqual([]);
	expect(await byCommand()).toEqual({});
});

/** Names of what was found, by the resource's name in the program. */
type Found = Record<string, string[]>;
