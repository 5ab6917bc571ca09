import { endpoints } from "../../src/schemas/endpoints";
import type { EndpointName } from "../../src/schemas/wire/endpoints";
import { startServer } from "../../src/server";

/** The local server as a process of its own, so that its CPU time is not taken for the provider's. */
async function main(): Promise<void> {
	const [, , teamName = "vision", pipelines = "1"] = process.argv;
	const server = await startServer({ empty: true, teamName: "unused" });
	const names = Array.from(
		{ length: Number(pipelines) },
		(_, number) => `pipeline-${number}`,
	);
	server.addTeam(teamName, { pipelines: names });
	process.send?.({ environment: server.environment, teamName });
	process.on("message", () => process.send?.({ counts: counts() }));
	process.on("disconnect", () => void server.close());

	function counts(): Record<string, number> {
		const names = Object.keys(endpoints) as EndpointName[];
		const all = names.map(
			(endpoint) => [endpoint, server.requests.count({ endpoint })] as const,
		);
		server.requests.clear();
		return Object.fromEntries(all.filter(([, count]) => count > 0));
	}
}

void main();
