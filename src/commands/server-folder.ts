import {
	existsSync,
	mkdirSync,
	readFileSync,
	renameSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { errorCode } from "../client/errors";
import { endpoints } from "../schemas/endpoints";
import { shellWord } from "../text/report";

const environmentSchema = z.object({
	DATACHAIN_STUDIO_URL: z.url(),
	DATACHAIN_STUDIO_TOKEN: z.string(),
	DATACHAIN_STUDIO_TEAM: z.string(),
});

/** What a client needs to find a server. */
export type ServerEnvironment = z.infer<typeof environmentSchema>;

/** What a folder of `serve --keep` holds, so that the next server is the same to its clients. */
export class ServerFolder {
	readonly dataFile: string;
	private readonly file: string;
	/** Its name begins like the file's, so that the .gitignore hides it, too. */
	private readonly processFile: string;

	constructor(private readonly folder: string) {
		this.dataFile = join(folder, "team.json");
		this.file = join(folder, "connection.json");
		this.processFile = `${this.file}.pid`;
	}

	/** The settings of the last server; undefined if there was none. */
	get environment(): ServerEnvironment | undefined {
		try {
			return environmentSchema.parse(JSON.parse(readFileSync(this.file, "utf8")));
		} catch (error) {
			if (["ENOENT", "ENOTDIR"].includes(errorCode(error))) return undefined;
			throw new Error(
				`The file "${this.file}" cannot be read. Remove it; the server then creates a new one.`,
			);
		}
	}

	prepare(): void {
		this.use(() => {
			mkdirSync(this.folder, { recursive: true, mode: 0o700 });
			const ignored = join(this.folder, ".gitignore");
			// The folder most likely lies in somebody's repository, and may even be its root: only our own files are hidden.
			if (!existsSync(ignored))
				writeFileSync(ignored, "/.gitignore\n/connection.json*\n/team.json*\n");
		});
	}

	remember(environment: ServerEnvironment): void {
		this.use(() => {
			const next = `${this.file}.${process.pid}`;
			writeFileSync(next, `${JSON.stringify(environment, undefined, 2)}\n`, {
				mode: 0o600,
			});
			renameSync(next, this.file);
			writeFileSync(this.processFile, String(process.pid), { mode: 0o600 });
		});
	}

	/** On another port it would start, and each of the two would write over the data of the other. */
	async refuseSecond(): Promise<void> {
		const { environment } = this;
		if (environment === undefined || !(await answers(environment))) return;
		throw new Error(
			`The server of --keep "${this.folder}" runs at ${environment.DATACHAIN_STUDIO_URL} already. ` +
				"--env prints its settings, and --stop ends it.",
		);
	}

	/** Called when the server has ended. */
	forget(): void {
		rmSync(this.processFile, { force: true });
	}

	/** Ends the server that runs now, and returns its address once it does not answer any more. */
	async stop(): Promise<string> {
		const environment = await this.running(0);
		const url = environment.DATACHAIN_STUDIO_URL;
		// A server that answers with our token wrote this file when it began, so the id cannot be another program's.
		const id = existsSync(this.processFile)
			? Number(readFileSync(this.processFile, "utf8"))
			: 0;
		if (!Number.isInteger(id) || id <= 0)
			throw new Error(
				`The server at ${url} was started by an older version, which did not note its process. End it where it was started.`,
			);
		process.kill(id, "SIGTERM");
		const end = Date.now() + WAIT_MILLIS;
		while (await answers(environment)) {
			if (Date.now() > end)
				throw new Error(
					`The server at ${url} (process ${id}) does not end. Kill its process.`,
				);
			await sleep(100);
		}
		return url;
	}

	private use(write: () => void): void {
		try {
			write();
		} catch (error) {
			throw new Error(
				`The folder "${this.folder}" cannot be used (${errorCode(error)}). Choose another with --keep.`,
			);
		}
	}

	/** The settings of the server that runs now. One that was started a moment ago is waited for. */
	async running(waitMillis = WAIT_MILLIS): Promise<ServerEnvironment> {
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
async function answers(environment: ServerEnvironment): Promise<boolean> {
	const { DATACHAIN_STUDIO_URL: url, DATACHAIN_STUDIO_TOKEN: token } = environment;
	const team = encodeURIComponent(environment.DATACHAIN_STUDIO_TEAM);
	const request = {
		headers: { Authorization: `Bearer ${token}` },
		signal: AbortSignal.timeout(2_000),
	};
	return fetch(
		`${url}/api${endpoints.listClusters.path}?team_name=${team}`,
		request,
	).then(
		({ ok }) => ok,
		() => false,
	);
}
