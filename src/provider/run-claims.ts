import { createHash, randomBytes } from "node:crypto";
import {
	closeSync,
	fstatSync,
	lstatSync,
	mkdirSync,
	openSync,
	readdirSync,
	readFileSync,
	readSync,
	rmSync,
	statSync,
	writeSync,
} from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { messageOf } from "../schemas/wording";
import type { Claim } from "./claims";

/** A file without writes for this long, whose processes are gone, was left by a killed run. */
const STALE_MILLIS = 60_000;

/** The engine's address, by which the processes of one run know each other: both hosts get it as an argument. */
export const engineAddress = (args: readonly string[] = process.argv.slice(2)): string | undefined =>
	args.filter((arg) => /^[^-/\\\s][^/\\\s]*:\d+$/.test(arg)).at(-1);

/** A line of the file: who, of which object, claims what. A process's first line names only itself, its last one LEAVES. */
type Line = readonly [writer: string, object?: string, claim?: Claim];
const LEAVES = "leaves";

interface Known {
	readonly writer: string;
	readonly claim: Claim;
}

/**
 * The claims of one engine run, for all its provider processes: the dynamic host and each plugin keep claims of their own,
 * and an object that one of them holds must not be deleted by another. The processes append lines to one file, which puts
 * them into one order, and all of them read it by the same rule: the first to claim an object has it, for as long as its
 * process lives. A file per object would be simpler, and costs seconds for 1,000 objects on an ordinary disk.
 */
export class RunClaims {
	private readonly writer = `${process.pid}-${startOf(process.pid) ?? 0}-${randomBytes(4).toString("hex")}`;
	private readonly known = new Map<string, Known>();
	private readonly keys = new Map<string, string>();
	private readonly writers = new Set<string>();
	private readonly file: string;
	private fd = -1;
	/** How much of the file has been read. */
	private offset = 0;
	private isUsable = true;

	private constructor(
		address: string,
		private readonly serviceUrl: string,
		private readonly notice: (text: string) => void,
		private readonly folder: string,
	) {
		this.file = join(folder, digest(address));
	}

	/** Undefined without an engine. A folder that cannot be used is told once, and the run goes on without it. */
	static open(
		address: string | undefined,
		serviceUrl: string,
		notice: (text: string) => void,
		root = tmpdir(),
	): RunClaims | undefined {
		if (address === undefined) return undefined;
		const folder = join(root, `pulumi-datachain-${process.getuid?.() ?? digest(userInfo().username)}`);
		const claims = new RunClaims(address, serviceUrl, notice, folder);
		return claims.trying(() => {
			ownFolder(folder);
			claims.fd = openSync(claims.file, "a+", 0o600);
			claims.append([claims.writer]);
			sweep(folder);
			closeAtExit(claims);
			return claims;
		}, undefined);
	}

	/** What is claimed of the object in the run; what this process holds, it knows itself. */
	read(object: string): Claim | undefined {
		return this.trying(() => {
			this.catchUp();
			const known = this.known.get(this.keyOf(object));
			return known && isAlive(known.writer) ? known.claim : undefined;
		}, undefined);
	}

	/** False if another process has claimed the object and does not release it. */
	write(object: string, claim: Claim): boolean {
		return this.trying(() => {
			const key = this.keyOf(object);
			this.catchUp();
			if (!this.mayClaim(key)) return false;
			this.append([this.writer, key, claim]);
			return this.known.get(key)?.writer === this.writer;
		}, true);
	}

	/** The last process of the run removes the file. */
	close(): void {
		this.trying(() => {
			this.append([this.writer, LEAVES]);
			if (![...this.writers].some(isAlive)) rmSync(this.file, { force: true });
			closeSync(this.fd);
		}, undefined);
		this.isUsable = false;
		opened.delete(this);
	}

	/** A name may be secret, and the file need not show it. */
	private keyOf(object: string): string {
		const key = this.keys.get(object) ?? digest(JSON.stringify([this.serviceUrl, object]));
		this.keys.set(object, key);
		return key;
	}

	/** Whether no other process holds the object: reading it, having deleted it, or promising to release it is not holding it. */
	private mayClaim(key: string, writer = this.writer): boolean {
		const known = this.known.get(key);
		if (known === undefined || known.writer === writer || !isAlive(known.writer)) return true;
		const { claim } = known;
		return claim.is === "ours" || claim.is === "released" || (claim.is === "releasing" && !claim.started);
	}

	/** Others may have written in between, so the line is read back with theirs. */
	private append(line: Line): void {
		writeSync(this.fd, `${JSON.stringify(line)}\n`);
		this.catchUp();
	}

	/** Reads what was appended since, up to the last whole line. */
	private catchUp(): void {
		const bytes = Buffer.alloc(fstatSync(this.fd).size - this.offset);
		readSync(this.fd, bytes, { position: this.offset });
		const end = bytes.lastIndexOf("\n") + 1;
		this.offset += end;
		for (const text of bytes.subarray(0, end).toString().split("\n"))
			if (text !== "") this.apply(JSON.parse(text) as Line);
	}

	private apply([writer, key, claim]: Line): void {
		if (key === LEAVES) this.writers.delete(writer);
		else this.writers.add(writer);
		if (key === undefined || claim === undefined || !this.mayClaim(key, writer)) return;
		this.known.set(key, { writer, claim: { ...claim, elsewhere: true } as Claim });
	}

	private trying<T>(work: () => T, otherwise: T): T {
		if (!this.isUsable) return otherwise;
		try {
			return work();
		} catch (error) {
			this.isUsable = false;
			this.notice(
				`Could not use the folder ${this.folder}, which the provider processes of one deployment use to share what they ` +
					`manage: ${messageOf(error)}. The deployment goes on. Do not move a resource between the dynamic provider and the plugin under ` +
					"another name in it, or set TMPDIR to a folder of your own.",
			);
			return otherwise;
		}
	}
}

const digest = (text: string): string => createHash("sha256").update(text).digest("hex");

/** The folder, which must be this user's alone: whoever else could write to it could make up claims. */
function ownFolder(folder: string): void {
	mkdirSync(folder, { recursive: true, mode: 0o700 });
	const found = lstatSync(folder);
	const isOwn = process.getuid === undefined || (found.uid === process.getuid() && (found.mode & 0o77) === 0);
	if (!isOwn || !found.isDirectory())
		throw new Error("it belongs to another user, or other users may write to it");
}

/** Removes the files of killed runs. */
function sweep(folder: string): void {
	for (const name of readdirSync(folder)) {
		const file = join(folder, name);
		try {
			if (Date.now() - statSync(file).mtimeMs < STALE_MILLIS) continue;
			const writers = readFileSync(file, "utf8").matchAll(/\["([\w-]+)"\]/g);
			if (![...writers].some(([, writer = ""]) => isAlive(writer))) rmSync(file);
		} catch {
			// Another process of the run sweeps, too, and was faster.
		}
	}
}

const verified = new Set<string>();

/** A process id is used again some day; if the system tells when a process started, that must fit too. */
function isAlive(writer: string): boolean {
	const [pid = 0, start = 0] = writer.split("-").map(Number);
	try {
		process.kill(pid, 0);
	} catch {
		return false;
	}
	if (!verified.has(writer) && (startOf(pid) ?? 0) === start) verified.add(writer);
	return verified.has(writer);
}

/** In ticks since the system started; only Linux tells it without a child process. */
function startOf(pid: number): number | undefined {
	try {
		const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
		return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19]);
	} catch {
		return undefined;
	}
}

const opened = new Set<RunClaims>();
let isWatching = false;

/** The dynamic host has no handler for signals, and a process that a signal ends tells nobody of its exit. */
function closeAtExit(claims: RunClaims): void {
	opened.add(claims);
	if (isWatching) return;
	isWatching = true;
	const closeAll = () => {
		for (const each of opened) each.close();
	};
	process.on("exit", closeAll);
	for (const signal of ["SIGINT", "SIGTERM"] as const) {
		if (process.listenerCount(signal) > 0) continue;
		process.once(signal, () => {
			closeAll();
			process.kill(process.pid, signal);
		});
	}
}
