import type { Engine } from "../engine";
import type { Result, Running } from "../process/run";
import type { Deployment } from "./deployment";

export type Operation = "up" | "preview" | "refresh" | "destroy";

export interface StackOptions {
	/** Folder of the Pulumi.yaml to be run; nothing is written to it. */
	readonly projectDir: string;
	readonly engine: Engine;
	/** Added to the environment of every command. */
	readonly env?: NodeJS.ProcessEnv | undefined;
	/** Default `dev`. */
	readonly stackName?: string | undefined;
	/** Limit for each command; default five minutes. */
	readonly timeoutMs?: number | undefined;
	/** Told the command line of each operation before it runs. */
	readonly onCommand?: ((line: string) => void) | undefined;
	/** Sees what operations print, as it comes. */
	readonly onOutput?: ((chunk: string, stream: "stdout" | "stderr") => void) | undefined;
}

/** A stack in a backend of its own that goes away with `dispose`, or with this process. */
export interface Stack {
	readonly name: string;
	readonly projectDir: string;
	/** Holds home, backend and configuration of the stack. */
	readonly folder: string;
	/** The Pulumi.<stack>.yaml, kept out of the project's folder. */
	readonly configFile: string;
	/** The backend's file that holds the state. */
	readonly checkpointFile: string;
	readonly env: NodeJS.ProcessEnv;
	/** The Pulumi variables of `env`: what to export to go on by hand. */
	readonly ownEnv: Readonly<Record<string, string>>;
	up(args?: readonly string[]): Promise<Result>;
	preview(args?: readonly string[]): Promise<Result>;
	refresh(args?: readonly string[]): Promise<Result>;
	destroy(args?: readonly string[]): Promise<Result>;
	/** One of the four above, still running: to be interrupted or killed. */
	start(operation: Operation, args?: readonly string[]): Running;
	/** Any other command, given in full: `run(["stack", "ls"])`. */
	run(args: readonly string[]): Promise<Result>;
	setConfig(key: string, value: string, options?: { secret?: boolean }): Promise<void>;
	export(): Promise<Deployment>;
	/** The state as that file holds it, without asking the engine. */
	checkpoint(): Deployment;
	/** The stack's outputs, secrets in plain text. */
	outputs(): Promise<Record<string, unknown>>;
	/** Ends what still runs and removes the folder. Destroys nothing remote. */
	dispose(): void;
	/** Leaves the folder in place when this process ends, so that someone can go on by hand. */
	keep(): void;
}
