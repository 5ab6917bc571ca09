import { type Command, Option } from "commander";
import type { ConnectionSources } from "../client";
import { STYLES, styled } from "../text/renderings";
import { many, plain, type Severity } from "../text/report";
import { messageOf } from "../text/wording";
import {
	type Check,
	type Checks,
	type DoctorReport,
	fail,
	reportOf,
	skip,
	skipAll,
} from "./doctor/check";
import {
	checkCli,
	checkLanguageHost,
	checkNode,
	checkPackage,
	checkPlugin,
	checkSdk,
	checkStub,
	isOther,
	projectLanguage,
} from "./doctor/machine";
import {
	checkService,
	checkSettings,
	SERVICE_CHECKS,
	VARIABLES,
} from "./doctor/service";
import { checkStack } from "./doctor/stack";
import { findAbove, findProject } from "./project-file";
import { connectionSources, type PulumiOptions, runPulumi } from "./pulumi-cli";
import {
	endOnInterrupt,
	inWantedColor,
	ownManifest,
	printResult,
	progress,
} from "./terminal";

interface DoctorOptions {
	stack?: string;
	json?: boolean;
	probeWrite?: boolean;
}

export const define = (command: Command): Command =>
	command
		.option("-s, --stack <name>", "stack to read (default: the selected one)")
		.option("--json", "print the checks as JSON")
		.addOption(new Option("--probe-write").hideHelp())
		.addHelpText("after", EXAMPLES)
		.action(doctor);

const EXAMPLES = `
Run it in the folder of your Pulumi program. It reads the stack as a deployment does: backend, state, secrets. Writes
nothing, neither here nor on the service: it only sends GET requests. \`pulumi-datachain verify\` checks what the provider
assumes about the service; with --pipeline it also tries whether the token may write.

Exit codes: 0 nothing failed (there may be warnings), 1 a check failed.

Examples:
  $ pulumi-datachain doctor
  $ pulumi-datachain doctor --stack prod --json
`;

/** Prints one line a check; the exit code is 1 if one failed. */
async function doctor(options: DoctorOptions): Promise<void> {
	if (options.probeWrite)
		throw new Error(
			"doctor does not write. Use `pulumi-datachain verify --pipeline NAME`, with a paused pipeline.",
		);
	const report = reportOf(await examine(options, endOnInterrupt()));
	printResult(options, report, () => inWantedColor(renderDoctor(report)));
	process.exitCode = report.ok ? 0 : 1;
}

const SEVERITIES: Readonly<Record<Check["status"], Severity>> = {
	ok: "good",
	warn: "odd",
	fail: "bad",
	skip: "quiet",
};

/** One line a check, and the fix under what needs one. Messages may repeat what a service or another program said. */
export function renderDoctor(report: DoctorReport): string {
	const width = Math.max(...report.checks.map(({ name }) => name.length));
	const lines = report.checks.flatMap(({ name, status, message, fix }) => [
		`${styled(STYLES[SEVERITIES[status]], status.padEnd(4))}  ${name.padEnd(width)}  ${plain(message, 2_000)}`,
		...(fix === undefined
			? []
			: [`${" ".repeat(width + 8)}${styled("bold", "Fix:")} ${plain(fix, 2_000)}`]),
	]);
	const count = (status: Check["status"]) =>
		report.checks.filter((check) => check.status === status).length;
	const verdict = report.ok ? styled("green", "Ready") : styled("red", "Not ready");
	return `${lines.join("\n")}\n\n${verdict}: ${count("ok")} ok, ${many(count("warn"), "warning")}, ${count("fail")} failed.\n`;
}

/** Looks at everything the provider needs, from the inside out. */
async function examine(options: DoctorOptions, signal: AbortSignal): Promise<Checks> {
	const { stack } = options;
	const [cwd, env] = [process.cwd(), process.env];
	const { version: own, engines } = ownManifest();
	const pulumi = (args: readonly string[]) => runPulumi(args, { signal });
	progress.step("Checking this machine…");
	const cli = await checkCli(pulumi);
	const node = checkNode(process.versions.node, engines.node);
	const program = await programChecks(cwd, env);
	progress.step("Reading the stack…");
	const state =
		cli.status === "ok"
			? await checkStack({ cwd, env, stack, pulumi })
			: { checks: { stack: skip("Needs the Pulumi CLI first.") }, needsPlugin: false };
	const plugin = checkPlugin({ cwd, env, own, isInState: state.needsPlugin });
	progress.step("Checking the service…");
	const isReadable = reportOf(state.checks).ok;
	const { sources, config } = await findSources({ stack, signal }, isReadable);
	const { checks, connection } = checkSettings(
		{ ...sources, env },
		{ isConfigRead: Object.keys(config).length === 0 },
	);
	const service =
		connection === undefined
			? skipAll(SERVICE_CHECKS, "Needs a connection first.")
			: await checkService(connection);
	return {
		node,
		"pulumi cli": cli,
		...program,
		plugin,
		...state.checks,
		...config,
		...checks,
		...service,
	};
}

/** What a program that Node.js runs needs; those in other languages have the plugin instead. */
async function programChecks(cwd: string, env: NodeJS.ProcessEnv): Promise<Checks> {
	const { version, peerDependencies } = ownManifest();
	const language = projectLanguage(cwd);
	const none = (why: string): Checks => ({ "pulumi sdk": skip(why) });
	if (isOther(language))
		return none(`The program is in ${language}: the plugin serves it.`);
	if ((findProject(cwd) ?? findAbove(cwd, ["package.json"])) === undefined)
		return none(
			"There is no Pulumi project in this folder, so its language is not known.",
		);
	return {
		"language host": checkLanguageHost(env),
		"pulumi sdk": checkSdk(cwd, peerDependencies["@pulumi/pulumi"]),
		package: checkPackage(cwd, version),
		"provider stub": await checkStub(cwd),
	};
}

/** Where the connection comes from; the CLI may be asked for the stack's config, which is a check only if it fails. */
async function findSources(
	options: PulumiOptions,
	isStackReadable: boolean,
): Promise<{ sources: ConnectionSources; config: Checks }> {
	try {
		return { sources: await connectionSources(options), config: {} };
	} catch (error) {
		const fix = `Run \`pulumi stack select\`, or set ${VARIABLES} instead of the config.`;
		const config = isStackReadable
			? fail(messageOf(error), fix)
			: skip("Needs the stack first.");
		return { sources: {}, config: { config } };
	}
}
