import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { Command } from "commander";
import { markdownTable } from "../../tools/matrix/table";
import { exitWith } from "../../tools/process/exit-with";
import { Deployment } from "./deployment";

interface Options {
	readonly n: string;
	readonly most: number;
}

const readOptions = (): Options =>
	new Command("npm run bench:growth --")
		.description(
			"CPU of the handlers for growing numbers of schedules, without the engine",
		)
		.option("--n <counts>", "numbers of schedules", "1000,2000,4000,8000")
		.option(
			"--most <exponent>",
			"fails if an operation grows faster than this power of the number",
			Number,
			1.15,
		)
		.parse()
		.opts<Options>();

/** `npm run bench:growth`: whether the CPU of an operation grows with the number of schedules, or faster. */
async function main(): Promise<number> {
	const { n, most } = readOptions();
	const counts = n.split(",").map(Number);
	// The first deployment also pays for compiling our code.
	await measure(Math.min(200, ...counts));
	const rows = new Map<string, Cost[]>();
	for (const count of counts) {
		for (const [operation, cost] of await measure(count)) {
			rows.set(operation, [...(rows.get(operation) ?? []), cost]);
		}
	}
	const exponents = new Map(
		[...rows].map(([operation, costs]) => [operation, exponentOf(counts, costs)]),
	);
	const cells = [...rows].map(([operation, costs]) => [
		operation,
		...costs.map(
			({ cpuMs }, at) =>
				`${(cpuMs / 1000).toFixed(2)} (${(cpuMs / (counts[at] ?? 1)).toFixed(2)})`,
		),
		String(costs.at(-1)?.requests),
		(exponents.get(operation) ?? 0).toFixed(2),
	]);
	console.log(
		markdownTable(["operation", ...counts.map(String), "requests", "exponent"], cells),
	);
	console.log(
		"CPU seconds of the handlers (milliseconds a schedule); the requests are those of the largest number.",
	);
	return [...exponents.values()].some((exponent) => exponent > most) ? 1 : 0;
}

interface Cost {
	readonly cpuMs: number;
	readonly requests: number;
}

/** The power of the number with which the CPU grows, from the smallest number to the largest. */
function exponentOf(counts: readonly number[], costs: readonly Cost[]): number {
	const ratio = (values: readonly number[]) => (values.at(-1) ?? 1) / (values[0] ?? 1);
	return Math.log(ratio(costs.map(({ cpuMs }) => cpuMs))) / Math.log(ratio(counts));
}

/** One deployment of so many schedules on a server of its own, ten on each pipeline. */
async function measure(n: number): Promise<Map<string, Cost>> {
	const pipelines = Math.ceil(n / 10);
	const server = fork(join(__dirname, "server.ts"), ["growth", String(pipelines)], {
		execArgv: ["-r", "ts-node/register/transpile-only"],
	});
	const ask = async (question?: string) => {
		if (question !== undefined) server.send(question);
		const [answer] = await once(server, "message");
		return answer;
	};
	try {
		const { environment, teamName } = await ask();
		const deployment = new Deployment(
			{ ...environment, DATACHAIN_STUDIO_TEAM: teamName },
			n,
			pipelines,
		);
		const costs = new Map<string, Cost>();
		for (const [operation, run] of Object.entries(deployment.operations)) {
			const before = process.cpuUsage();
			await run();
			const { user, system } = process.cpuUsage(before);
			const { counts } = await ask("counts");
			const requests = Object.values<number>(counts).reduce(
				(sum, count) => sum + count,
				0,
			);
			costs.set(operation, { cpuMs: (user + system) / 1000, requests });
			console.error(
				`${operation} of ${n}: ${((user + system) / 1e6).toFixed(2)} s, ${JSON.stringify(counts)}`,
			);
		}
		return costs;
	} finally {
		server.disconnect();
		await once(server, "exit");
	}
}

exitWith(main());
