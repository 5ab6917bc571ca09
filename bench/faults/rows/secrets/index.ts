import { join } from "node:path";
import { SECRET_PARAMETERS } from "../../../../src/schemas/storage";
import { runCli } from "../../../../test/helpers/drift-cli";
import { type Declared, type TestDeployment, testDeployment } from "../../../../test/helpers/e2e-deployment";
import type { Result } from "../../../../tools/stack";
import { all, type Figure, none, type Row, type RowContext } from "../../row";
import { Canaries, PLACES, type Place } from "./canaries";
import { PROGRAM, refused, resources } from "./program";

/** Canaries in every secret field, through every kind of step and failure, looked for in every place. */
export const secrets: Row = {
	number: 6,
	name: "secrets",
	async run(context) {
		const canaries = new Canaries(context.random.fork("secrets"));
		const token = canaries.word("token");
		const log: string[] = [];
		const test = await testDeployment({ token, program: PROGRAM, log: (line) => log.push(line) });
		const life = new Life(test, canaries, log, context, token);
		try {
			await life.run();
		} finally {
			await test.dispose();
		}
		const searched = [...canaries.searched.values()].reduce((sum, bytes) => sum + bytes, 0) / 2 ** 20;
		const credentials = Object.values(SECRET_PARAMETERS).flat().length;
		// The second deployment's canaries, and what was there before the first, are in the state: encrypted.
		const wanted = [...canaries.made.keys()].filter((field) => /^(second|before) /.test(field));
		const missing = wanted.filter((field) => !life.encrypted.has(field));
		return {
			load: `${canaries.made.size} canaries (${credentials} storage credentials among them), ${searched.toFixed(0)} MB searched`,
			figures: [
				...PLACES.map((place) => clear(canaries, place)),
				all("canaries in the state, encrypted", wanted.length - missing.length, wanted.length, missing),
				none("steps that did not go as planned", life.problems),
			],
		};
	},
};

/** A place in which nothing was searched has no figure to show. */
function clear(canaries: Canaries, place: Place): Figure {
	const figure = none(`canaries in clear: ${place}`, canaries.at(place));
	return canaries.searched.get(place) ? figure : { ...figure, reached: "nothing searched", ok: false };
}

/** The life of a stack on the real engine, searched after each step. */
class Life {
	/** Steps that did not go as they must for the search to mean anything. */
	readonly problems: string[] = [];
	/** Fields whose canary was in the state, encrypted. */
	encrypted: ReadonlySet<string> = new Set();
	private last: readonly Declared[] = [];
	private readonly full: boolean;

	constructor(
		private readonly test: TestDeployment,
		private readonly canaries: Canaries,
		private readonly log: readonly string[],
		private readonly context: RowContext,
		private readonly token: string,
	) {
		this.full = context.scale === "full";
	}

	async run(): Promise<void> {
		const { stack } = this.test;
		await this.createAndUpdate();
		// With the passphrase everything is there: the canaries did get into the state, and only encrypted.
		const shown = await stack.run(["stack", "export", "--show-secrets", "--stack", stack.name]);
		this.encrypted = this.canaries.wholeIn(shown.stdout);
		await this.driftAndRefresh();
		this.test.declare(...refused(this.canaries));
		await this.step("check failure", stack.preview(["--diff"]), false);
		await this.fail();
		await this.configToken();
		await this.step("destroy", stack.destroy(["--diff", ...this.skipPreview()]));
	}

	/** A quick run has seen one preview of each kind already. */
	private skipPreview(): string[] {
		return this.full ? [] : ["--skip-preview"];
	}

	/** Runs one command, then searches all that it may have left or printed. */
	private async step(name: string, running: Promise<Result>, ok = true): Promise<void> {
		const { code, stdout, stderr } = await running;
		const { canaries, test } = this;
		if ((code === 0) !== ok)
			this.problems.push(`${name} ended with ${code}: ${(stderr || stdout).slice(-600)}`);
		canaries.search("stdout and stderr", name, `${stdout}\n${stderr}`);
		canaries.search("server log", name, this.log.join("\n"));
		canaries.searchFolder("state", name, test.stack.folder);
		// The program's own file holds what it declares; all else in its folder must not.
		canaries.searchFolder("state", name, test.folder, ["declared.json"]);
		this.context.progress(name);
	}

	private async createAndUpdate(): Promise<void> {
		const { test, canaries } = this;
		await test.client.pipelines.settings({
			pipeline_name: "rusty-vise",
			environment: `THEIRS=${canaries.text("before environment")}`,
			repository: `https://u:${canaries.word("before repository")}@example.com/before.git`,
		});
		test.declare(...resources(canaries, "first"));
		await this.step("create", test.stack.up(["--diff"]));
		this.last = resources(canaries, "second");
		test.declare(...this.last);
		await this.step("update", test.stack.up(["--diff", ...this.skipPreview()]));
	}

	/** Others change and add things; refresh, the drift command and the export look at them. */
	private async driftAndRefresh(): Promise<void> {
		const { test, canaries } = this;
		const text = (field: string) => canaries.text(`drifted ${field}`);
		const word = (field: string) => canaries.word(`drifted ${field}`);
		await test.client.pipelines.settings({
			pipeline_name: "rusty-vise",
			environment: [
				`OURS=${text("environment.OURS")}`,
				`ADDED=${text("environment.ADDED")}`,
				`FSSPEC_S3=${JSON.stringify({ key: text("storage.s3.key"), extra: text("storage.s3, added") })}`,
			].join("\n"),
			repository: `https://u:${word("repository")}@example.com/other.git`,
			requirements: `--extra-index-url https://${word("requirements")}@example.com/simple`,
		});
		await this.step("refresh preview", test.stack.refresh(["--preview-only", "--diff"]));
		await this.reports();
		await this.step("refresh", test.stack.refresh(["--diff", ...this.skipPreview()]));
		if (this.full) await this.step("preview after drift", test.stack.preview(["--diff"]));
	}

	/** Runs commands of ours side by side, and searches what they print; `code` is what each must end with, where it matters. */
	private async commands(
		runs: readonly [place: Place, args: readonly string[], code?: number][],
	): Promise<void> {
		const { folder, stack } = this.test;
		const results = await Promise.all(runs.map(([, args]) => runCli({ folder, env: stack.env }, args)));
		for (const [index, { code, stdout, stderr }] of results.entries()) {
			const [place = "drift reports", args = [], wanted = code] = runs[index] ?? [];
			if (code !== wanted) this.problems.push(`${args.join(" ")} ended with ${code}: ${stderr.slice(-300)}`);
			this.canaries.search(place, args.join(" "), `${stdout}\n${stderr}`);
		}
	}

	/** Every form of the drift report, and an exported program, by the built command line. */
	private async reports(): Promise<void> {
		const { folder, name } = this.test.stack;
		const drift = ["drift", "--stack", name];
		const out = join(folder, "exported");
		await this.commands([
			["drift reports", [...drift, "--html", join(folder, "drift.html")], 2],
			["drift reports", [...drift, "--json"], 2],
			["drift reports", ["--debug", ...drift, "--markdown"], 2],
			["exported programs", ["export", "--out", out], 0],
		]);
		this.canaries.searchFolder("exported programs", "files", out);
	}

	/** The service refuses, repeating what it got; the command line fails with its own traces switched on. */
	private async fail(): Promise<void> {
		const { test, canaries, token } = this;
		const { faults } = test.server;
		const tries = [
			[400, 0] as const,
			...(this.full
				? ([
						[500, 0],
						[400, 3],
						[500, 3],
					] as const)
				: []),
		];
		for (const [status, index] of tries) {
			const round = `error ${status} of resource ${index}`;
			const changed = resources(canaries, round)[index];
			test.declare(...this.last.map((declared, at) => (at === index ? (changed ?? declared) : declared)));
			const endpoint = changed?.name === "file" ? "uploadFile" : "updateSettings";
			const message = `bad ${token}: ${JSON.stringify(changed?.args)}`;
			faults.add({ endpoint, kind: "status", status, message });
			await this.step(round, test.stack.up(["--skip-preview", "--diff"]), false);
			faults.clear();
		}
		const { folder, name } = test.stack;
		faults.add({ kind: "status", status: 400, message: `no ${token}` });
		await this.commands([
			["stdout and stderr", ["--debug", "drift", "--stack", name]],
			["stdout and stderr", ["--debug", "export", "--out", join(folder, "failed")]],
			["stdout and stderr", ["doctor", "--stack", name, "--json"]],
		]);
		faults.clear();
		if (!this.full) return;
		// The real limit of an operation, a minute.
		test.declare(...resources(canaries, "timeout"));
		faults.add({ endpoint: "updateSettings", kind: "delay", ms: 3_600_000 });
		await this.step("timeout", test.stack.up(["--skip-preview", "--diff"]), false);
		faults.clear();
	}

	/** The token in the stack's configuration instead of the environment. */
	private async configToken(): Promise<void> {
		const { stack } = this.test;
		await stack.setConfig("datachain:token", this.token, { secret: true });
		delete stack.env.DATACHAIN_STUDIO_TOKEN;
		this.test.declare(...resources(this.canaries, "token in the config"));
		await this.step("token in the config", stack.up(["--skip-preview", "--diff"]));
		stack.env.DATACHAIN_STUDIO_TOKEN = this.token;
	}
}
