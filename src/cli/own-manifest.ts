import { readFileSync } from "node:fs";
import { join } from "node:path";

/** The parts of our own package.json that commands need. */
interface OwnManifest {
	readonly version: string;
	readonly engines: { readonly node: string };
	readonly peerDependencies: { readonly "@pulumi/pulumi": string };
}

/** Read at run time, so that each number is written in one place only. */
export const ownManifest = (): OwnManifest =>
	JSON.parse(readFileSync(join(__dirname, "..", "..", "package.json"), "utf8")) as OwnManifest;
