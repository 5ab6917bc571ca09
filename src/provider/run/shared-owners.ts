import { createHash } from "node:crypto";
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
import { messageOf } from "../../text/wording";
import type { OtherProcesses, Owner } from "./owners";

/** The engine's address, by which the processes of one deployment know each other: both hosts get it as an argument. */
export const engineAddress = (
	args: readonly string[] = process.argv.slice(2),
): string | undefined =>
	args.filter((arg) => /^[^-/\\\s][^/\\\s]*:\d+$/.test(arg)).at(-1);

/** A line of the file. Without an owner it says that the object was deleted. */
interface Line {
	readonly process: number;
	readonly key?: string;
	readonly owner?: Owner;
}

/**
 * The owners of one deployment, for all its provider processes: the dynamic host and each plugin are processes of their own,
 * and what one of them adopts, another one must not delete. They append lines to one file. Of two lines about one object the
 * first one holds, for as long as its process lives.
 */
export class SharedOwners implements OtherProcesses {
	private readonly owners = new Map<string, Line>();
	private readonly hashes = new Map<string, string>();
	private offset = 0;
	private isUsable = true;

	private constructor(
		private readonly file: string,
		private readonly fd: number,
		private readonly serviceUrl: string,
		private readonly notice: (text: string) => void,
	) {}

	/** Undefined without an engine, or if the folder cannot be used, which is told. */
	static open(
		address: string | undefined,
		serviceUrl: string,
		notice: (text: string) => void,
		root = tmpdir(),
	): SharedOwners | undefined {
		if (address === undefined) return undefined;
		const folder = join(
			root,
			`pulumi-datachain-${process.getuid?.() ?? digest(userInfo().username)}`,
		);
		try {
			makeOwnFolder(folder);
			removeLeftovers(folder);
			const file = join(folder, digest(address));
			const shared = new SharedOwners(
				file,
				openSync(file, "a+", 0o600),
				serviceUrl,
				notice,
			);
			shared.append({ process: process.pid });
			closeAtExit(shared);
			return shared;
		} catch (error) {
			notice(unusable(folder, error));
			return undefined;
		}
	}

	of(key: string): Owner | undefined {
		return this.using(() => {
			this.readOn();
			const line = this.owners.get(this.hashOf(key));
			return line && isAlive(line.process) ? line.owner : undefined;
		}, undefined);
	}

	add(key: string, owner: Owner): boolean {
		return this.using(() => {
			const hash = this.hashOf(key);
			this.append({ process: process.pid, key: hash, owner });
			this.readOn();
			return this.owners.get(hash)?.owner?.urn === owner.urn;
		}, true);
	}

	remove(key: string): void {
		this.using(
			() => this.append({ process: process.pid, key: this.hashOf(key) }),
			undefined,
		);
	}

	/** The last process of the deployment removes the file. */
	close(): void {
		if (this.isUsable) closeSync(this.fd);
		this.isUsable = false;
		try {
			if (!processesIn(this.file).some((pid) => pid !== process.pid && isAlive(pid)))
				rmSync(this.file);
		} catch {
			// Another process of the deployment removed it.
		}
		opened.delete(this);
	}

	/** A name may be secret, and the file need not show it. */
	private hashOf(key: string): string {
		const hash = this.hashes.get(key) ?? digest(JSON.stringify([this.serviceUrl, key]));
		this.hashes.set(key, hash);
		return hash;
	}

	private append(line: Line): void {
		writeSync(this.fd, `${JSON.stringify(line)}\n`);
	}

	/** Reads what was appended since, up to the last whole line. */
	private readOn(): void {
		const bytes = Buffer.alloc(fstatSync(this.fd).size - this.offset);
		readSync(this.fd, bytes, { position: this.offset });
		const end = bytes.lastIndexOf("\n") + 1;
		this.offset += end;
		for (const text of bytes.subarray(0, end).toString().split("\n")) {
			if (text !== "") this.apply(JSON.parse(text) as Line);
		}
	}

	private apply(line: Line): void {
		const { key, owner } = line;
		if (key === undefined) return;
		const before = this.owners.get(key);
		const isFree =
			before === undefined ||
			before.owner?.urn === owner?.urn ||
			!isAlive(before.process);
		if (owner === undefined) this.owners.delete(key);
		else if (isFree) this.owners.set(key, line);
	}

	private using<T>(work: () => T, otherwise: T): T {
		if (!this.isUsable) return otherwise;
		try {
			return work();
		} catch (error) {
			this.isUsable = false;
			this.notice(unusable(this.file, error));
			return otherwise;
		}
	}
}

const unusable = (path: string, error: unknown): string =>
	`Could not use ${path}, where the provider processes of one deployment record the objects that they manage: ${messageOf(error)}. ` +
	"The deployment continues. In it, do not move a resource between the dynamic provider and the plugin under another name, or set " +
	"TMPDIR to a folder of your own.";

const digest = (text: string): string =>
	createHash("sha256").update(text).digest("hex");

/** The folder, which must be this user's alone: whoever else could write to it could make up owners. */
function makeOwnFolder(folder: string): void {
	mkdirSync(folder, { recursive: true, mode: 0o700 });
	const status = lstatSync(folder);
	const isOwn =
		process.getuid === undefined ||
		(status.uid === process.getuid() && (status.mode & 0o77) === 0);
	if (!isOwn || !status.isDirectory())
		throw new Error("it belongs to another user, or other users may write to it");
}

/** A younger file may be one that a process has just opened, and not written to yet. */
const LEFTOVER_MILLIS = 60_000;

/** Removes the files of killed deployments: those of which no process lives. */
function removeLeftovers(folder: string): void {
	for (const name of readdirSync(folder)) {
		const file = join(folder, name);
		try {
			const isOld = Date.now() - statSync(file).mtimeMs > LEFTOVER_MILLIS;
			if (isOld && !processesIn(file).some(isAlive)) rmSync(file);
		} catch {
			// Another process of the deployment removes them, too, and was faster.
		}
	}
}

const processesIn = (file: string): number[] =>
	Array.from(readFileSync(file, "utf8").matchAll(/"process":(\d+)/g), ([, pid]) =>
		Number(pid),
	);

function isAlive(pid: number): boolean {
	if (pid === process.pid) return true;
	try {
		process.kill(pid, 0);
		return true;
	} catch {
		return false;
	}
}

const opened = new Set<SharedOwners>();
let isWatching = false;

/** The dynamic host has no handler for signals, and a process that a signal ends tells nobody of its exit. */
function closeAtExit(shared: SharedOwners): void {
	opened.add(shared);
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
