import { once } from "node:events";
import { connect } from "node:net";
import { join } from "node:path";
import { errorCode } from "../../src/api/errors";
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

async function probe(): Promise<void> {
	const socket = connect({ host, port: 443 });
	// Of our own: the socket's begins only after the name is resolved.
	const signal = AbortSignal.timeout(probeMs);
	try {
		await once(socket, "connect", { signal });
	} catch (error) {
		const why = signal.aborted ? `no answer within ${probeMs / 1000} s` : errorCode(error);
		throw new Error(`${host} cannot be reached (${why})`);
	} finally {
		socket.destroy();
	}
}

function lastLine(text: string): string | undefined {
	return text.trim().split("\n").at(-1)?.slice(0, 300) || undefined;
}
