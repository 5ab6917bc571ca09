import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createClient, resolveConnection } from "../../../../src/api";
import type { Props } from "../../../../src/provider/handler";
import type { Kind } from "../../../../src/schemas/kinds";
import { startServer } from "../../../../src/server";
import { tempFolder } from "../../../../tools/process/temp-folder";
import { inProcess, type Providers } from "../../process";
import { FILES } from "./inputs";

const ASSET = { "4dabf18193072939515e22adb298388d": "c44067f5952c0a294b673a41bacd8c17" };

export type Place = Awaited<ReturnType<typeof openPlace>>;

/** A local server with a team of any name, and what a program can refer to in it. */
export async function openPlace(teamName: string, pipelines: number) {
	const server = await startServer({ empty: true });
	const team = server.addTeam(teamName, {
		pipelines: Array.from({ length: pipelines }, (_, index) => `pipeline-${index}`),
	});
	const env = { ...server.environment, DATACHAIN_STUDIO_TEAM: teamName };
	const client = createClient(resolveConnection({ env }));
	const folder = tempFolder("faults-properties-");
	const upload = (_: unknown, index: number) =>
		client.jobs.uploadFile({ name: `${index}.txt`, content: "x" });
	const uploaded = await Promise.all(Array.from({ length: FILES }, upload));
	await client.close();
	const files = uploaded.map(({ file }) => String(file.id));
	let used = 0;
	const fileInputs = ({ content, given, name }: Props): Props => {
		const text = String(content);
		const hash = createHash("sha256").update(text).digest("hex");
		if (given === "text") return { text, name };
		if (given === "stringAsset") return { source: { ...ASSET, text, hash }, name };
		const path = join(folder.path, hash);
		writeFileSync(path, text);
		return given === "path" ? { source: path } : { source: { ...ASSET, path, hash }, name };
	};
	return {
		/** One that has nothing set. */
		pipeline: () => `pipeline-${used++}`,
		/** What `adopt` is for: the settings have values already. */
		setByOthers: (pipeline_name: string) =>
			team.setSettings({
				pipeline_name,
				python_version: "3.10",
				requirements: "theirs",
				environment: 'THEIRS=1\nFSSPEC_S3={"anon":true}',
				workers: 7,
			}),
		/** The inputs as they reach the provider: names, file ids and paths filled in. */
		fill(kind: Kind, inputs: Props, pipelineName: string): Props {
			if (kind === "JobFile") return asJson(fileInputs(inputs));
			const given = Array.isArray(inputs.files) && { files: inputs.files.map((at) => files[Number(at)]) };
			return asJson({ ...inputs, pipelineName, ...given });
		},
		/**
		 * Work in a provider process of its own, with nothing remembered. The local server shows at once what was done, so
		 * that nobody has to wait for a second look.
		 */
		run: <T>(work: (providers: Providers) => Promise<T>) => inProcess(env, work, { patience: [1, 5] }),
		async close() {
			folder.remove();
			await server.close();
		},
	};
}

/** What travels between the engine and the provider is JSON. */
const asJson = (value: Props): Props => JSON.parse(JSON.stringify(value));
