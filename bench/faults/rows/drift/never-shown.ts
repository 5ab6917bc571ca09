import { checkDrift } from "../../../../src/drift/check";
import { jobFile } from "../../../../src/provider/job-file/handler";
import { pipelineSettings } from "../../../../src/provider/pipeline-settings/handler";
import { startServer } from "../../../../src/server";
import { all, type Figure } from "../../row";
import { NEVER_SHOWN } from "./coverage";
import { inNewProcess } from "./deployed";

/** What nobody can check must be said, or silence would look like "no drift". */
export async function neverShown(): Promise<Figure> {
	const server = await startServer();
	try {
		const resources = await inNewProcess(server, async (context) => {
			const file = (await jobFile.check(context, {}, { text: "print(1)", name: "a.py" })).inputs;
			const made = await jobFile.create(context, file);
			const declared = { pipelineName: "rusty-vise", files: [made.id], credentialsNames: ["shared"] };
			const settings = (await pipelineSettings.check(context, {}, declared)).inputs;
			const set = await pipelineSettings.create(context, settings);
			const of = (kind: string, inputs: object, { id, outs }: { id: string; outs: object }) => ({
				urn: `urn:pulumi:dev::drift::pulumi-nodejs:dynamic/datachain:${kind}::${kind}`,
				kind,
				name: kind,
				id,
				inputs: { ...inputs },
				outputs: { ...outs },
				secretPaths: new Set<string>(),
			});
			return [of("JobFile", file, made), of("PipelineSettings", settings, set)];
		});
		const { unchecked } = await checkDrift({
			state: { resources, leavingIds: [] },
			sources: { env: server.environment },
			ignore: [],
		});
		// A file is content as a whole: where it came from is not on the service at all.
		const wanted = [...(NEVER_SHOWN.PipelineSettings ?? []), "content"];
		const silent = wanted.filter((field) => !unchecked.some((each) => each.field === field));
		return all(
			"never shown by the service, and reported so",
			wanted.length - silent.length,
			wanted.length,
			silent,
		);
	} finally {
		await server.close();
	}
}
