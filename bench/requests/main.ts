import { Command } from "commander";
import { endpoints } from "../../src/schemas/endpoints";
import type { EndpointName } from "../../src/schemas/wire/endpoints";
import type { FaultRule } from "../../src/server";
import { startServer } from "../../src/server";
import { ensureEngine } from "../../tools/engine";
import { markdownTable } from "../../tools/matrix/table";
import { exitWith } from "../../tools/process/exit-with";
import { deploy } from "../speed/deployment";
import type { Step } from "../speed/samples";

const STEPS = [
	"up",
	"no-op",
	"update",
	"refresh",
	"drift",
	"destroy",
] as const satisfies readonly Step[];

/** How the service behaves. */
const SERVICES: Readonly<Record<string, readonly FaultRule[]>> = {
	"no faults": [],
	"reads lag 2 s": [{ kind: "late-effect", ms: 2_000 }],
	"40 writes per 5 s": [
		{ kind: "rate-limit", shape: "window", limit: 40, windowMs: 5_000 },
	],
};

interface Options {
	readonly n: number;
	readonly package?: string;
}

const readOptions = (): Options =>
	new Command("npx ts-node --transpileOnly bench/requests/main.ts")
		.description("requests by endpoint of a stack with schedules, settings and files")
		.option(
			"--n <count>",
			"schedules, and as many settings, and a fifth as many files",
			Number,
			100,
		)
		.option(
			"--package <folder>",
			"built checkout of another version to measure instead of this one",
		)
		.parse()
		.opts<Options>();

/** Deploys the stack once for each behaviour of the service, and prints what it was asked. */
async function main(): Promise<number> {
	const options = readOptions();
	for (const [title, faults] of Object.entries(SERVICES)) {
		console.log(`\n${title}\n\n${await tableOf(options, faults)}`);
	}
	return 0;
}

async function tableOf(
	{ n, package: packageFolder }: Options,
	faults: readonly FaultRule[],
): Promise<string> {
	const server = await startServer({ faults: true });
	const teamName = "mixed";
	const pipelines = Array.from({ length: n }, (_, number) => `pipeline-${number}`);
	server.addTeam(teamName, { pipelines });
	const environment = {
		...server.environment,
		DATACHAIN_STUDIO_TEAM: teamName,
		PULUMI_SKIP_CHECKPOINTS: "true",
	};
	const engine = await ensureEngine();
	const deployment = await deploy("mixed", { n, engine, environment, packageFolder });
	const counts = new Map<EndpointName, Map<Step, number>>();
	const totals: number[] = [];
	try {
		for (const rule of faults) server.faults.add(rule);
		for (const step of STEPS) {
			server.requests.clear();
			const cost = await deployment.run(step);
			console.error(
				`${step}: ${server.requests.count()} requests, CPU ${(cost?.cpuMs ?? 0) / 1_000} s, wall ${((cost?.wallMs ?? 0) / 1_000).toFixed(1)} s`,
			);
			totals.push(server.requests.count());
			for (const endpoint of Object.keys(endpoints) as EndpointName[]) {
				const count = server.requests.count({ endpoint });
				if (count === 0) continue;
				const row = counts.get(endpoint) ?? new Map<Step, number>();
				counts.set(endpoint, row.set(step, count));
			}
		}
	} finally {
		deployment.dispose();
		await server.close();
	}
	const rows = [...counts].map(([endpoint, row]) => [
		endpoint,
		...STEPS.map((step) => String(row.get(step) ?? 0)),
	]);
	return markdownTable(
		["request", ...STEPS],
		[...rows, ["all", ...totals.map(String)]],
	);
}

exitWith(main());
