import { ConnectionError, type ConnectionSources } from "../api";
import { CONNECTION_VARIABLES } from "../api/connection";
import { checkSettings } from "./connection";
import { checkPlugin, isOther, projectLanguage } from "./plugin";
import { checkPackage, checkSdk, checkStub } from "./project";
import { type Check, type DoctorReport, fail, reportOf, skip } from "./result";
import { checkCli, checkLanguageHost, checkNode } from "./runtime";
import { checkService, SERVICE_CHECKS } from "./service";

export interface DoctorInput {
	readonly cwd: string;
	readonly env: NodeJS.ProcessEnv;
	readonly nodeVersion: string;
	/** What this package asks for, from its own package.json. */
	readonly wants: { readonly version: string; readonly node: string; readonly sdk: string };
	readonly pulumi: (args: readonly string[]) => Promise<string>;
	/** Where the connection comes from; may ask the CLI for the stack's config. */
	readonly sources: () => Promise<ConnectionSources>;
	readonly probeWrite?: boolean | undefined;
	/** Told what is being looked at. */
	readonly onProgress?: (what: string) => void;
}

/** Looks at everything the provider needs, from the inside out. */
export async function examine(input: DoctorInput): Promise<DoctorReport> {
	const { cwd, env, wants, onProgress = () => {} } = input;
	onProgress("Looking at this machine…");
	const checks: Check[] = [
		checkNode(input.nodeVersion, wants.node),
		await checkCli(input.pulumi),
		...(await programChecks(input)),
		checkPlugin(cwd, env, wants.version),
	];
	onProgress("Asking the service…");
	return reportOf([...checks, ...(await connectionChecks(input))]);
}

/** What a program that Node.js runs needs; those in other languages have the plugin instead. */
async function programChecks({ cwd, env, wants }: DoctorInput): Promise<Check[]> {
	const language = projectLanguage(cwd);
	if (isOther(language)) return [skip("pulumi sdk", `The program is in ${language}: the plugin serves it.`)];
	return [
		checkLanguageHost(env),
		checkSdk(cwd, wants.sdk),
		checkPackage(cwd, wants.version),
		await checkStub(cwd),
	];
}

const VARIABLES = Object.values(CONNECTION_VARIABLES).join(", ");

async function connectionChecks({ env, sources, probeWrite }: DoctorInput): Promise<Check[]> {
	const skipped = SERVICE_CHECKS.map((name) => skip(name, "Needs a connection first."));
	let found: ConnectionSources = {};
	const trouble: Check[] = [];
	try {
		found = await sources();
	} catch (error) {
		const why = error instanceof Error ? error.message : "It cannot be read.";
		trouble.push(
			fail("config", why, `Run \`pulumi stack select\`, or set ${VARIABLES} instead of the config.`),
		);
	}
	const { checks, connection } = settingsIn({ ...found, env });
	const service = connection === undefined ? skipped : await checkService(connection, { probeWrite });
	return [...trouble, ...checks, ...service];
}

/** A file of the service's own client that cannot be read is a finding like any other. */
function settingsIn(sources: ConnectionSources): ReturnType<typeof checkSettings> {
	try {
		return checkSettings(sources);
	} catch (error) {
		if (!(error instanceof ConnectionError)) throw error;
		return { checks: [fail("login", error.message, `Correct the file, or set ${VARIABLES} instead.`)] };
	}
}
