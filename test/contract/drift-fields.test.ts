import { expect, it } from "vitest";
import { Process, urnOf } from "../../bench/faults/process";
import { StackModel } from "../../bench/faults/rows/model/engine-model";
import type { What } from "../../bench/faults/rows/model/stack";
import { ServerTime } from "../../bench/faults/server-time";
import { handlerOf } from "../../src/provider/hosting";
import { dynamicType } from "../../src/schemas/kinds";
import { driftCases } from "../helpers/drift-cases";
import { driftTeam } from "../helpers/drift-team";

const DAY = 24 * 60 * 60_000;
/** Fields that nobody can change behind Pulumi's back: instructions to the provider, and what no request moves. */
const NOT_ON_THE_SERVICE = ["pipelineName", "teamName", "timeZone", "adopt", "onDestroy"];
/** Fields that the service never shows. */
const NEVER_SHOWN = ["files", "credentialsNames"];

it.each(["PipelineSchedule", "PipelineSettings"] as const)("every field of %s has a case below", (kind) => {
	const covered = driftCases
		.filter((each) => each.kind === kind && each.named.length > 0)
		.map(({ covers }) => covers);
	const without = Object.keys(handlerOf(kind).fields).filter((field) => !covered.includes(field));
	expect(without.filter((field) => ![...NOT_ON_THE_SERVICE, ...NEVER_SHOWN].includes(field))).toEqual([]);
});

it("drift names exactly the fields that somebody changed and agrees with refresh, and up repairs them", async () => {
	// Each case has a pipeline and a resource of its own, made by the provider.
	const program = driftCases.map(({ kind, covers, declared }, index) => {
		return { kind, name: `${index} ${covers}`, args: { ...declared, pipelineName: `pipeline-${index}` } };
	});
	const pipelines = program.map(({ args }) => args.pipelineName);
	// Spellings are stored as they are sent.
	const { server, env, others, check } = await driftTeam(pipelines, { normalise: false });
	const time = new ServerTime(server.clock, server.requests);
	const stack = new StackModel();
	const run = async (what: What, refresh = false): Promise<readonly string[]> => {
		const options = { parallel: 8, refresh };
		const done = await stack.command(what, program, options, (each) => new Process({ ...each, env, time }));
		expect(done.failures).toEqual([]);
		return done.steps;
	};
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
		expect(failed).toEqual([]);
		const verdicts = [
			...changed.map(({ resource }) => `changed ${resource}`),
			...missing.map(({ resource }) => `gone ${resource}`),
		];
		const refreshed = (await run("drift")).filter((step) => !step.startsWith("read "));
		expect([...refreshed].sort()).toEqual(verdicts.sort());
		return Object.fromEntries(
			changed.map(({ resource, fields }) => [resource, fields.map(({ field }) => field).sort()]),
		);
	};
	await run("up");
	expect(await byCommand()).toEqual({});
	// A day passes: schedules run, jobs end, next_run and latest_run change. None of it is drift.
	server.clock.advance(DAY);
	const found: Found = {};
	for (const [index, { change, named }] of driftCases.entries()) {
		const name = program[index]?.name ?? "";
		const { scheduleId = 0 } = stack.entries.find((entry) => entry.name === name)?.outs ?? {};
		change({ team: others, pipeline: `pipeline-${index}`, id: Number(scheduleId) });
		if (named.length > 0) found[name] = [...named].sort();
	}
	const [first] = stack.entries;
	others.deleteSchedule(Number(first?.id));
	delete found[first?.name ?? ""];
	expect(await byCommand()).toEqual(found);
	await run("up", true);
	expect(await byCommand()).toEqual({});
});

/** Names of what was found, by the resource's name in the program. */
type Found = Record<string, string[]>;
