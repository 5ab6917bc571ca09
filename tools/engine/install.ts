import { connect } from "node:net";
import { join } from "node:path";
import { run } from "../process/run";
import { engineVersion } from "./versions";

/** Puts a CLI into `<root>/bin`, or throws with the reason. */
export type Install = (root: string, env: NodeJS.ProcessEnv) => Promise<void>;

const host = "get.pulumi.com";
const probeMs = 3_000;
const installMs = 240_000;

/**
 * The SDK's own PulumiCommand.install(). It runs in a process of its own because it can neither be cancelled
 * nor kept from waiting for ever, and only after its host has answered, so that being offline costs little.
 */
export const installWithSdk: Install = async (root, env) => {
	await probe();
	const script = `
		const { createRequire } = require("node:module");
		const { PulumiCommand } = require("@pulumi/pulumi/automation");
		const { SemVer } = createRequire(require.resolve("@pulumi/pulumi"))("semver");
		PulumiCommand.install({ root: process.argv[1], version: new SemVer(process.argv[2]) }).catch((error) => {
			console.error(String(error && error.message).split("\\n").find((line) => line.trim() !== ""));
			process.exit(1);
		});`;
	const result = await run(process.execPath, ["-e", script, root, engineVersion], {
		cwd: join(__dirname, "..", ".."),
		env,
		timeoutMs: installMs,
	});
	if (result.timedOut) throw new Error(`not done after ${installMs / 1000} s`);
	if (result.code !== 0) throw new Error(lastLine(result.stderr) ?? `exit code ${result.code}`);
};

function probe(): Promise<void> {
	return new Promise((resolve, reject) => {
		const socket = connect({ host, port: 443 });
		const settle = (reason?: string) => {
			clearTimeout(timer);
			socket.destroy();
			if (reason === undefined) resolve();
			else reject(new Error(`${host} cannot be reached (${reason})`));
		};
		// A timer of our own: the socket's starts only after the name is resolved.
		const timer = setTimeout(() => settle(`no answer within ${probeMs / 1000} s`), probeMs);
		socket.once("error", (error: NodeJS.ErrnoException) => settle(error.code ?? error.message));
		socket.once("connect", () => settle());
	});
}

function lastLine(text: string): string | undefined {
	return text.trim().split("\n").at(-1)?.slice(0, 300) || undefined;
}
