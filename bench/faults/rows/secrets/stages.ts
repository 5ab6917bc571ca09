import { join } from "node:path";
import { runCli } from "../../../../test/helpers/drift-cli";
import { type Declared, type TestDeployment, testDeployment } from "../../../../test/helpers/e2e-deployment";
import type { Scale } from "../../row";
import type { Canaries } from "./canaries";
import type { Findings } from "./places";
import { PROGRAM, refused, resources } from "./program";

/** What a stage needs, and what it adds to. */
interface Stage {
	readonly test: TestDeployment;
	readonly canaries: Canaries;
	readonly findings: Findings;
	readonly log: readonly string[];
	readonly problems: string[];
	readonly full: boolean;
	/** What the program declared last, where it was deployed. */
	last: readonly Declared[];
	readonly progress: (text: string) => void;
}

export interface Outcome {
	/** Stages that did not go as they must for the search to mean anything. */
	readonly problems: readonly string[];
	/** Fields whose canary was in the state, encrypted. */
	readonly encrypted: ReadonlySet<string>;
}

/** The life of a stack on the real engine, searched after each step. */
export async function liveWithCanaries(
	canaries: Canaries,
	findings: Findings,
	{ scale, progress }: { scale: Scale; progress: (text: string) => void },
): Promise<Outcome> {
	const token = canaries.word("token");
	const log: string[] = [];
	const test = await testDeployment({ token, program: PROGRAM, log: (line) => log.push(line) });
	const problems: string[] = [];
	const full = scale === "full";
	const stage: Stage = { test, canaries, findings, log, problems, full, last: [], progress };
	try {
		await createAndUpdate(stage);
		const encrypted = await encryptedFields(stage);
		await driftAndRefresh(stage);
		await refuse(stage);
		await fail(stage, token);
		if (full) await timeOut(stage);
		await configToken(stage, token);
		await step(stage, "destroy", test.stack.destroy(["--diff", ...skipPreview(stage)]));
		return { problems, encrypted };
	} finally {
		await test.dispose();
	}
}

/** Runs one command, then searches all that it may have left or printed. */
async function step(
	stage: Stage,
	name: string,
	running: ReturnType<TestDeployment["stack"]["up"]>,
	ok = true,
): Promise<void> {
	const { code, stdout, stderr } = await running;
	const { test, findings, problems, log, progress } = stage;
	if ((code === 0) !== ok)
		problems.push(`${name} ended with ${code}: ${stderr.slice(-300) || stdout.slice(-300)}`);
	findings.search("stdout and stderr", name, `${stdout}\n${stderr}`);
	findings.search("server log", name, log.join("\n"));
	findings.searchFolder("state", name, test.stack.folder);
	// The program's own file holds what it declares; all else in its folder must not.
	findings.searchFolder("state", name, test.folder, ["declared.json"]);
	progress(name);
}

/** A quick run has seen one preview of each kind already. */
const skipPreview = ({ full }: Stage): string[] => (full ? [] : ["--skip-preview"]);

async function createAndUpdate(stage: Stage): Promise<void> {
	const { test, canaries } = stage;
	await test.client.pipelines.settings({
		pipeline_name: "rusty-vise",
		environment: `THEIRS=${canaries.text("before environment")}`,
		repository: `https://u:${canaries.word("before repository")}@example.com/before.git`,
	});
	test.declare(...resources(canaries, "first"));
	await step(stage, "create", test.stack.up(["--diff"]));
	stage.last = resources(canaries, "second");
	test.declare(...stage.last);
	await step(stage, "update", test.stack.up(["--diff", ...skipPreview(stage)]));
}

/** With the passphrase everything is there: the canaries did get into the state, and only encrypted. */
async function encryptedFields({ test, canaries }: Stage): Promise<Set<string>> {
	const { stdout } = await test.stack.run(["stack", "export", "--show-secrets", "--stack", test.stack.name]);
	return new Set(canaries.wholeIn(stdout));
}

/** Others change and add things; refresh, the drift command and the export look at them. */
async function driftAndRefresh(stage: Stage): Promise<void> {
	const { test, canaries } = stage;
	const drifted = (field: string) => canaries.text(`drifted ${field}`);
	await test.client.pipelines.settings({
		pipeline_name: "rusty-vise",
		environment: [
			`OURS=${drifted("environment.OURS")}`,
			`ADDED=${drifted("environment.ADDED")}`,
			`FSSPEC_S3=${JSON.stringify({ key: drifted("storage.s3.key"), extra: drifted("storage.s3, added") })}`,
		].join("\n"),
		repository: `https://u:${canaries.word("drifted repository")}@example.com/other.git`,
		requirements: `--extra-index-url https://${canaries.word("drifted requirements")}@example.com/simple`,
	});
	await step(stage, "refresh preview", test.stack.refresh(["--preview-only", "--diff"]));
	await reports(stage);
	await step(stage, "refresh", test.stack.refresh(["--diff", ...skipPreview(stage)]));
	if (stage.full) await step(stage, "preview after drift", test.stack.preview(["--diff"]));
}

/** Every form of the drift report, and an exported program, by the built command line. */
async function reports({ test, findings, problems, progress }: Stage): Promise<void> {
	const place = { folder: test.folder, env: test.stack.env };
	const page = join(test.stack.folder, "drift.html");
	const out = join(test.stack.folder, "exported");
	const drift = ["drift", "--stack", test.stack.name];
	const runs: [string, readonly string[], number][] = [
		["text and page", [...drift, "--html", page], 2],
		["JSON", [...drift, "--json"], 2],
		["Markdown", ["--debug", ...drift, "--markdown"], 2],
		["export", ["export", "--out", out], 0],
	];
	const results = await Promise.all(runs.map(([, args]) => runCli(place, args)));
	for (const [index, { code, stdout, stderr }] of results.entries()) {
		const [name = "", , wanted] = runs[index] ?? [];
		if (code !== wanted) problems.push(`${name} ended with ${code}: ${stderr.slice(-300)}`);
		const where = name === "export" ? "exported programs" : "drift reports";
		findings.search(where, name, `${stdout}\n${stderr}`);
	}
	findings.searchFolder("exported programs", "files", out);
	progress("drift reports and export");
}

async function refuse(stage: Stage): Promise<void> {
	stage.test.declare(...refused(stage.canaries));
	await step(stage, "check failure", stage.test.stack.preview(["--diff"]), false);
}

/** The service refuses, repeating what it got; the command line fails with its own traces switched on. */
async function fail(stage: Stage, token: string): Promise<void> {
	const { test, canaries, findings, full } = stage;
	for (const [status, index] of full
		? ([
				[400, 0],
				[500, 0],
				[400, 3],
				[500, 3],
			] as const)
		: ([[400, 0]] as const)) {
		const round = `error ${status} of resource ${index}`;
		const { last } = stage;
		const changed = resources(canaries, round)[index];
		test.declare(...last.map((declared, at) => (at === index ? (changed ?? declared) : declared)));
		const name = changed?.name ?? "";
		const echo = JSON.stringify(changed?.args ?? {});
		const endpoint = name === "file" ? "uploadFile" : "updateSettings";
		test.server.faults.add({ endpoint, kind: "status", status, message: `bad ${token}: ${echo}` });
		await step(stage, round, test.stack.up(["--skip-preview", "--diff"]), false);
		test.server.faults.clear();
	}
	test.server.faults.add({ kind: "status", status: 400, message: `no ${token}` });
	const place = { folder: test.folder, env: test.stack.env };
	const results = await Promise.all([
		runCli(place, ["--debug", "drift", "--stack", test.stack.name]),
		runCli(place, ["--debug", "export", "--out", join(test.stack.folder, "failed")]),
		runCli(place, ["doctor", "--stack", test.stack.name, "--json"]),
	]);
	test.server.faults.clear();
	for (const { stdout, stderr } of results)
		findings.search("stdout and stderr", "command line", `${stdout}\n${stderr}`);
}

/** The real limit of an operation, a minute: only in a full run. */
async function timeOut(stage: Stage): Promise<void> {
	const { test, canaries } = stage;
	test.declare(...resources(canaries, "timeout"));
	test.server.faults.add({ endpoint: "updateSettings", kind: "delay", ms: 3_600_000 });
	await step(stage, "timeout", test.stack.up(["--skip-preview", "--diff"]), false);
	test.server.faults.clear();
}

/** The token in the stack's configuration instead of the environment. */
async function configToken(stage: Stage, token: string): Promise<void> {
	const { test, canaries } = stage;
	await test.stack.setConfig("datachain:token", token, { secret: true });
	delete test.stack.env.DATACHAIN_STUDIO_TOKEN;
	test.declare(...resources(canaries, "token in the config"));
	await step(stage, "token in the config", test.stack.up(["--skip-preview", "--diff"]));
	test.stack.env.DATACHAIN_STUDIO_TOKEN = token;
}
