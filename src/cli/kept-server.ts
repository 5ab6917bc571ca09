import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { ApiError, createClient } from "../api";
import { errorCode } from "../api/error-code";
import { shellWord } from "./shell";

const environmentSchema = z.object({
	DATACHAIN_STUDIO_URL: z.string(),
	DATACHAIN_STUDIO_TOKEN: z.string(),
	DATACHAIN_STUDIO_TEAM: z.string(),
});

/** What a client needs to find a server. */
export type Environment = z.infer<typeof environmentSchema>;

/** What a folder of `serve --keep` holds, so that the next server is the same to its clients. */
export class KeptServer {
	readonly dataFile: string;
	private readonly file: string;

	constructor(private readonly folder: string) {
		this.dataFile = join(folder, "team.json");
		this.file = join(folder, "connection.json");
	}

	/** The settings of the last server; undefined where there was none. */
	get environment(): Environment | undefined {
		try {
			return environmentSchema.parse(JSON.parse(readFileSync(this.file, "utf8")));
		} catch (error) {
			if (["ENOENT", "ENOTDIR"].includes(errorCode(error))) return undefined;
			throw new Error(`The file "${this.file}" cannot be read. Remove it, and a new one is made.`);
		}
	}

	prepare(): void {
		try {
			mkdirSync(this.folder, { recursive: true, mode: 0o700 });
			// It holds a token and what programs sent, and most likely lies in somebody's repository.
			writeFileSync(join(this.folder, ".gitignore"), "*\n");
		} catch (error) {
			throw new Error(
				`The folder "${this.folder}" cannot be used (${errorCode(error)}). Choose another with --keep.`,
			);
		}
	}

	remember(environment: Environment): void {
		const next = `${this.file}.${process.pid}`;
		writeFileSync(next, `${JSON.stringify(environment, undefined, 2)}\n`, { mode: 0o600 });
		renameSync(next, this.file);
	}

	/** The settings of the server that runs now. One that was started a moment ago is waited for. */
	async running(waitMillis = WAIT_MILLIS): Promise<Environment> {
		const end = Date.now() + waitMillis;
		do {
			const { environment } = this;
			if (environment !== undefined && (await answers(environment))) return environment;
			await sleep(200);
		} while (Date.now() < end);
		throw new Error(
			`No server runs with --keep "${this.folder}". Start it: pulumi-datachain serve --keep ${shellWord(this.folder)}`,
		);
	}
}

const WAIT_MILLIS = 20_000;

/** Whether it is that server, and not another one that has got its port. */
async function answers(environment: Environment): Promise<boolean> {
	const client = createClient(
		{
			baseUrl: environment.DATACHAIN_STUDIO_URL,
			token: environment.DATACHAIN_STUDIO_TOKEN,
			teamName: environment.DATACHAIN_STUDIO_TEAM,
		},
		{ maxAttempts: 1, deadlineMillis: 2_000 },
	);
	try {
		await client.clusters.list();
		return true;
	} catch (error) {
		if (error instanceof ApiError) return false;
		throw error;
	} finally {
		await client.close();
	}
}
