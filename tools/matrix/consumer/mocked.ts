import * as pulumi from "@pulumi/pulumi";
import { version } from "@pulumi/pulumi/version.js";
import * as datachain from "pulumi-datachain";
import * as client from "pulumi-datachain/client";
import * as server from "pulumi-datachain/server";

// @ts-expect-error No number is a name; a package without types would allow it.
export const wrong: datachain.PipelineScheduleArgs = { pipelineName: 7 };

/** Builds everything in `resources` without an engine, and prints the ids and what it ran on. */
async function main(): Promise<void> {
	await pulumi.runtime.setMocks({
		newResource: ({ name, inputs }) => ({
			id: `id-of-${name}`,
			state: { name, ...inputs },
		}),
		call: ({ inputs }) => inputs,
	});
	// The one class that is about the connection.
	new datachain.Provider("other", { teamName: "other" });
	const { made, runtime } = await import("./resources.js");
	const entries = [client.createClient, server.startServer].map(
		(entry) => typeof entry,
	);
	pulumi
		.all(made)
		.apply((ids) =>
			console.log(JSON.stringify({ ids, entries, runtime, sdk: version })),
		);
}

void main();
