import type { Command } from "commander";
import { createColors } from "picocolors";
import { ConnectionError, type ConnectionSources } from "../api";
import { CONNECTION_VARIABLES } from "../api/connection";
import { paintOf } from "../report/renderings";
import { plain, type Severity } from "../report/report";
import { type Check, type DoctorReport, fail, findAbove, findProject, reportOf, skip } from "./doctor-check";
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
} from "./doctor-machine";
import { checkService, checkSettings, SERVICE_CHECKS } from "./doctor-service";
import { checkStack, type StackInput } from "./doctor-stack";
import { askPulumi, connectionSources } from "./pulumi-cli";
import {
	endOnInterrupt,
	ownManifest,
	printResult,
	progress,
	tolerateClosedOutput,
	wantsColor,
} from "./terminal";

interface DoctorOptions {
	stack?: string;
	json?: boolean;
	probeWrite?: boolean;
}

/** `doctor`. */
export const define = (command: Command): Command =>
	command
		.option("-s, --stack <name>", "stack to read (default: the selected one)")
		.option("--json", "print the checks as JSON")
		.option("--probe-write", "also ask whether the token may write, with a request that deletes nothing")
		.addHelpText("after", EXAMPLES)
		.action(doctor);

const EXAMPLES = `
Run it in the folder of your Pulumi program. It reads the stack as a deployment does: backend, state, secrets. Writes
nothing, neither here nor on the service: it only sends GET requests. Whether the token may write is the one thing they do not tell; --probe-write asks the service to delete a
schedule with an id that is in no list, which a token without write access is refused (403) and any other one is told
that there is none (404).

Exit codes: 0 nothing failed (there may be warnings), 1 a check failed.

Examples:
  $ pulumi-datachain doctor
  $ pulumi-datachain doctor --stack prod --json
  $ pulumi-datachain doctor --probe-write
`;

/** Prints one line a check; the exit code is 1 if one failed. */
async function doctor(options: DoctorOptions): Promise<void> {
	tolerateClosedOutput();
	const signal = endOnInterrupt((code) => code);
	const manifest = ownManifest();
	const report = await examine({
		cwd: process.cwd(),
		env: process.env,
		nodeVersion: process.versions.node,
		wants: {
			version: manifest.version,
			node: manifest.engines.node,
			sdk: manifest.peerDependencies["@pulumi/pulumi"],
		},
		stack: options.stack,
		pulumi: (args) => askPulumi(args, { signal }),
		sources: () => connectionSources({ stack: options.stack, signal }),
		probeWrite: options.probeWrite,
		onProgress: progress.show,
	});
	printResult(options, report, () => renderDoctor(report, { color: wantsColor(process.stdout) }));
	process.exitCode = report.ok ? 0 : 1;
}

const SEVERITIES: Readonly<Record<Check["status"], Severity>> = {
	ok: "good",
	warn: "odd",
	fail: "bad",
	skip: "quiet",
};

/** One line a check, and the fix under what needs one. Messages may repeat what a service or another program said. */
export function renderDoctor(report: DoctorReport, options: { color: boolean }): string {
	const colors = createColors(options.color);
	const width = Math.max(...report.checks.map(({ name }) => name.length));
	const lines = report.checks.flatMap(({ name, status, message, fix }) => [
		`${paintOf(colors, SEVERITIES[status])(status.padEnd(4))}  ${name.padEnd(width)}  ${plain(message, 2_000)}`,
		...(fix === undefined ? [] : [`${" ".repeat(width + 8)}${colors.bold("Fix:")} ${plain(fix, 2_000)}`]),
	]);
	const count = (status: Check["status"]) => report.checks.filter((check) => check.status === status).length;
	const verdict = report.ok ? colors.green("Ready") : colors.red("Not ready");
	return `${lines.join("\n")}\n\n${verdict}: ${count("ok")} ok, ${count("warn")} to look at, ${count("fail")} failed.\n`;
}

interface DoctorInput extends StackInput {
	readonly nodeVersion: string;
	/** What this package asks for, from its own package.json. */
	readonly wants: { readonly version: string; readonly node: string; readonly sdk: string };
	/** Where the connection comes from; may ask the CLI for the stack's config. */
	readonly sources: () => Promise<ConnectionSources>;
	readonly probeWrite?: boolean | undefined;
	/** Told what is being looked at. */
	readonly onProgress?: (what: string) => void;
}

/** Looks at everything the provider needs, from the inside out. */
async function examine(input: DoctorInput): Promise<DoctorReport> {
	const { cwd, env, wants, onProgress = () => {} } = input;
	onProgress("Looking at this machine…");
	const cli = await checkCli(input.pulumi);
	const checks: Check[] = [checkNode(input.nodeVersion, wants.node), cli, ...(await programChecks(input))];
	onProgress("Reading the stack…");
	const stack =
		cli.status === "ok"
			? await checkStack(input)
			: { checks: [skip("stack", "Needs the Pulumi CLI first.")], needsPlugin: false };
	checks.push(checkPlugin({ cwd, env, own: wants.version, isInState: stack.needsPlugin }), ...stack.checks);
	onProgress("Asking the service…");
	const isReadable = !stack.checks.some(({ status }) => status === "fail");
	return reportOf([...checks, ...(await connectionChecks(input, isReadable))]);
}

/** What a program that Node.js runs needs; those in other languages have the plugin instead. */
async function programChecks({ cwd, env, wants }: DoctorInput): Promise<Check[]> {
	const language = projectLanguage(cwd);
	if (isOther(language)) return [skip("pulumi sdk", `The program is in ${language}: the plugin serves it.`)];
	if ((findProject(cwd) ?? findAbove(cwd, ["package.json"])) === undefined)
		return [skip("pulumi sdk", "There is no Pulumi project in this folder, so its language is not known.")];
	return [
		checkLanguageHost(env),
		checkSdk(cwd, wants.sdk),
		checkPackage(cwd, wants.version),
		await checkStub(cwd),
	];
}

const VARIABLES = Object.values(CONNECTION_VARIABLES).join(", ");

async function connectionChecks(
	{ env, sources, probeWrite }: DoctorInput,
	isStackReadable: boolean,
): Promise<Check[]> {
	const skipped = SERVICE_CHECKS.map((name) => skip(name, "Needs a connection first."));
	let found: ConnectionSources = {};
	const trouble: Check[] = [];
	try {
		found = await sources();
	} catch (error) {
		const why = error instanceof Error ? error.message : "It cannot be read.";
		trouble.push(
			isStackReadable
				? fail("config", why, `Run \`pulumi stack select\`, or set ${VARIABLES} instead of the config.`)
				: skip("config", "Needs the stack first."),
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
