import { manualClock, startServer } from "../../../../src/server";
import { all, type Figure, none, type Row, type RowContext, type RowResult } from "../../row";
import type { DriftCase } from "./case";
import { uncovered } from "./coverage";
import { type Deployed, deploy, HANDLERS, inNewProcess, secondClient } from "./deployed";
import { engineFigures } from "./engine";
import { type Found, foundByCommand, foundByRefresh } from "./find";
import { neverShown } from "./never-shown";
import { scheduleChanges, scheduleSpellings } from "./schedule-cases";
import { settingsChanges, settingsSpellings } from "./settings-cases";
import { storageChanges, storageSpellings } from "./storage-cases";
import { declarable } from "./storage-values";

const DAY = 24 * 60 * 60_000;

export const drift: Row = {
	number: 4,
	name: "drift",
	async run(context: RowContext): Promise<RowResult> {
		const random = context.random.fork("drift");
		const changes = [...scheduleChanges(random), ...settingsChanges(random), ...storageChanges()];
		const spellings = [...scheduleSpellings(), ...settingsSpellings(), ...storageSpellings()];
		const fields = new Set(changes.map(({ kind, covers }) => `${kind}.${covers}`));
		return {
			load:
				`${changes.length} changes to ${fields.size} fields and parameters, one at a time; ` +
				`${spellings.length} changes that mean the same`,
			figures: [
				none("fields without a case", uncovered(changes, declarable)),
				...(await overSockets(context, changes, spellings)),
				await neverShown(),
				...(await engineFigures(context, changes, spellings)),
			],
		};
	},
};

/** The provider's own handlers and the drift command's code, against the local server. */
async function overSockets(
	context: RowContext,
	changes: readonly DriftCase[],
	spellings: readonly DriftCase[],
): Promise<Figure[]> {
	// Spellings are stored as they are sent; the clock is moved by hand.
	const server = await startServer({ normalise: false, clock: manualClock() });
	const client = secondClient(server);
	try {
		const deployed = await deploy(server, client, [...changes, ...spellings]);
		context.progress(`${deployed.length} resources deployed`);
		const before = [...(await foundByCommand(server, deployed)), ...(await foundByRefresh(server, deployed))];
		// A day passes: schedules run, jobs end, next_run and latest_run change. None of it is drift.
		server.clock.advance(DAY);
		for (const { each, pipeline, resource } of deployed)
			await each.change({ client, pipeline, id: Number(resource.outputs.scheduleId ?? 0) });
		const [command, refresh] = [
			await foundByCommand(server, deployed),
			await foundByRefresh(server, deployed),
		];
		context.progress("changed and looked at in both ways");
		const drifted = deployed.filter(({ each }) => each.named.length > 0);
		const same = deployed.filter(({ each }) => each.named.length === 0);
		return [
			named("found and named by the drift command", drifted, command),
			named("found and named by a refresh", drifted, refresh),
			none("false alarms", [
				...before.map(([name, what]) => `${name} right after its deployment: ${what.join(", ")}`),
				...alarms("drift command", same, command),
				...alarms("refresh", same, refresh),
			]),
			await repaired(server, drifted),
		];
	} finally {
		await client.close();
		await server.close();
	}
}

/** Found, with exactly the names that differ: one that is missing and one too many are both wrong. */
function named(what: string, drifted: readonly Deployed[], found: Found): Figure {
	const wrong = drifted.flatMap(({ each, resource }) => {
		const names = [...(found.get(resource.name) ?? [])].sort();
		const wanted = [...each.named].sort();
		return names.join() === wanted.join()
			? []
			: [
					`${each.covers}, ${each.what}: named ${names.join(", ") || "nothing"} instead of ${wanted.join(", ")}`,
				];
	});
	return all(what, drifted.length - wrong.length, drifted.length, wrong);
}

const alarms = (who: string, same: readonly Deployed[], found: Found): string[] =>
	same.flatMap(({ each, resource }) => {
		const names = found.get(resource.name);
		return names === undefined ? [] : [`${who}: ${each.covers}, ${each.what}: ${names.join(", ")}`];
	});

/** As `pulumi up --refresh` does it: update from what was read to what is declared, then look again. */
async function repaired(
	server: Parameters<typeof foundByRefresh>[0],
	drifted: readonly Deployed[],
): Promise<Figure> {
	const failed: string[] = [];
	const replaced = drifted.filter(
		({ resource, each }) =>
			each.named[0] === "cronExpression" && resource.inputs.cronExpression === undefined,
	);
	const repairable = drifted.filter((one) => !replaced.includes(one));
	await inNewProcess(server, async (context) => {
		for (const { each, resource } of repairable) {
			const { state } = await HANDLERS[each.kind].read(context, resource.id, resource.outputs);
			await HANDLERS[each.kind]
				.update(context, resource.id, state?.outs ?? {}, resource.inputs)
				.catch((error: Error) => failed.push(`${each.covers}, ${each.what}: ${error.message}`));
		}
	});
	const left = await foundByRefresh(server, repairable);
	failed.push(...[...left].map(([name, what]) => `${name}: ${what.join(", ")}`));
	return all("repaired by an update", repairable.length - left.size, repairable.length, failed);
}
