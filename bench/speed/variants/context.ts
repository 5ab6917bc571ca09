import type { Engine } from "../../../tools/engine";

/** What each deployment is made from. */
export interface DeploymentContext {
	readonly n: number;
	readonly engine: Engine;
	/** Where the server is. */
	readonly environment: Readonly<Record<string, string>>;
	readonly skipCheckpoints: boolean;
	readonly language: "ts" | "js";
	/** Folder of the floor's plugin. */
	readonly pluginFolder: string | undefined;
}

/** The update changes the cron expression of every schedule from the one to the other. */
export const cronBefore = "0 3 * * *";
export const cronAfter = "0 4 * * *";
