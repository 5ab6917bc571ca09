import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createClient, type DataChainClient, resolveConnection } from "../../../../src/api";
import { createContext, type ProviderContext } from "../../../../src/provider/context";
import type { ResourceHandler } from "../../../../src/provider/handler";
import { type DynamicProvider, serveDynamically } from "../../../../src/provider/host/dynamic-host";
import { jobFile } from "../../../../src/provider/job-file/handler";
import { pipelineSchedule } from "../../../../src/provider/pipeline-schedule/handler";
import { pipelineSettings } from "../../../../src/provider/pipeline-settings/handler";
import { startServer } from "../../../../src/server";
import { type TempFolder, tempFolder } from "../../../../tools/process/temp-folder";
import { FILES, type Inputs, type Kind } from "./inputs";

const HANDLERS: Readonly<Record<Kind, ResourceHandler>> = {
	PipelineSchedule: pipelineSchedule,
	PipelineSettings: pipelineSettings,
	JobFile: jobFile,
};

/** A local server with a team of any name, and what a program can refer to in it. */
export interface Place {
	/** Someone else, who sets things first. */
	readonly client: DataChainClient;
	/** A new pipeline, with nothing set. */
	pipeline(): Promise<string>;
	/** The inputs as they reach the provider: names, file ids and paths filled in. */
	fill(kind: Kind, inputs: Inputs, pipelineName: string): Inputs;
	/** What one run of the engine works with: a provider process of its own, with nothing remembered. */
	session<T>(kind: Kind, work: (provider: DynamicProvider) => Promise<T>): Promise<T>;
	close(): Promise<void>;
}

const ASSET = { "4dabf18193072939515e22adb298388d": "c44067f5952c0a294b673a41bacd8c17" };
const HOUR = 3_600_000;

export async function openPlace(teamName: string): Promise<Place> {
	// Jobs stand still: what they do is no part of what is declared, and would only cost time.
	const server = await startServer({ teamName, jobStepMillis: HOUR });
	const env = server.environment;
	const client = createClient(resolveConnection({ env }));
	const folder = tempFolder("faults-properties-");
	const files: string[] = [];
	for (let index = 0; index < FILES; index++) {
		const { file } = await client.jobs.uploadFile({ name: `${index}.txt`, content: String(index) });
		files.push(String(file.id));
	}
	return {
		client,
		async pipeline() {
			const { pipeline } = await client.pipelines.trigger({ datasets: ["dev.images.raw"], review: true });
			if (!pipeline?.name) throw new Error("The local server made a pipeline without a name.");
			return pipeline.name;
		},
		fill: (kind, inputs, pipelineName) => asJson(filled(kind, inputs, pipelineName, files, folder)),
		async session(kind, work) {
			const context = createContext({ env }, () => {});
			try {
				return await work(provide(kind, context));
			} finally {
				await context.client.close();
			}
		},
		async close() {
			await client.close();
			folder.remove();
			await server.close();
		},
	};
}

function provide(kind: Kind, context: ProviderContext): DynamicProvider {
	const provider = serveDynamically(HANDLERS[kind], () => context);
	provider.configure({ config: { get: () => undefined } });
	return provider;
}

function filled(
	kind: Kind,
	inputs: Inputs,
	pipelineName: string,
	files: readonly string[],
	folder: TempFolder,
): Inputs {
	if (kind === "JobFile") return fileInputs(inputs, folder);
	if (!Array.isArray(inputs.files)) return { ...inputs, pipelineName };
	return { ...inputs, pipelineName, files: inputs.files.map((index) => files[Number(index)]) };
}

function fileInputs({ content, given, name }: Inputs, folder: TempFolder): Inputs {
	const text = String(content);
	const hash = createHash("sha256").update(text).digest("hex");
	if (given === "text") return { text, name };
	if (given === "stringAsset") return { source: { ...ASSET, text, hash }, name };
	const path = join(folder.path, hash);
	writeFileSync(path, text);
	return given === "path" ? { source: path } : { source: { ...ASSET, path, hash }, name };
}

/** What travels between the engine and the provider is JSON. */
export const asJson = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
