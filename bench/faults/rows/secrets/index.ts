import { join } from "node:path";
import { SECRET_PARAMETERS } from "../../../../src/schemas/storage";
import { runCli } from "../../../../test/helpers/drift-cli";
import { type TestDeployment, testDeployment } from "../../../../test/helpers/e2e-deployment";
import type { Result } from "../../../../tools/stack";
import { all, type Figure, none, type Row } from "../../row";
import { Canaries, PLACES, type Place } from "./canaries";
import { refused, resources, WITH_OUTPUTS } from "./program";

/** Canaries in every secret field, through every kind of step and failure, looked for in every place. */
export const secrets: Row = {
	number: 6,
	name: "secrets",
	async run({ random, scale, progress }) {
		const canaries = new Canaries(random.fork("secrets"));
		const token = canaries.word("token");
		const log: string[] = [];
		const test = await testDeployment({ token, program: WITH_OUTPUTS, log: (line) => log.push(line) });
		const life = new Life(test, canaries, log, progress, scale === "full");
		try {
			await life.createAndUpdate();
			await life.driftAndRefresh();
			await life.fail(token);
			await life.configToken(token);
			await life.step("destroy", test.stack.destroy(["--skip-preview", "--diff"]));
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

	constructor(
		private readonly test: TestDeployment,
		private readonly canaries: Canaries,
		private readonly log: readonly string[],
		private readonly progress: (text: string) => void,
		private readonly full: boolean,
	) {}

	/** Runs one command, then searches all that it may have left or printed. */
	async step(name: string, running: Promise<Result>, ok = true): Promise<void> {
		const { code, stdout, stderr } = await running;
		const { canaries, test } = this;
		if ((code === 0) !== ok)
			this.problems.push(`${name} ended with ${code}: ${(stderr || stdout).slice(-600)}`);
		canaries.search("stdout and stderr", name, `${stdout}\n${stderr}`);
		canaries.search("server log", name, this.log.join("\n"));
		canaries.searchFolder("state", name, test.stack.folder);
		// The program's own file holds what it declares; all else in its folder must not.
		canaries.searchFolder("state", name, test.folder, "declared.json");
		this.progress(name);
	}

	/** One preview is seen, with the first deployment and with a check that fails. */
	private up(round: string, ok = true): Promise<void> {
		return this.step(
			round,
			this.test.stack.up(["--diff", ...(round === "first" ? [] : ["--skip-preview"])]),
			ok,
		);
	}

	async createAndUpdate(): Promise<void> {
		const { test, canaries } = this;
		await test.client.pipelines.settings({
			pipeline_name: "rusty-vise",
			environment: `THEIRS=${canaries.text("before environment")}`,
			repository: `https://u:${canaries.word("before repository")}@example.com/before.git`,
		});
		for (const round of ["first", "second"]) {
			test.declare(...resources(canaries, round));
			await this.up(round);
		}
		// With the passphrase everything is there: the canaries did get into the state, and only encrypted.
		const shown = await test.stack.run(["stack", "export", "--show-secrets", "--stack", test.stack.name]);
		this.encrypted = canaries.wholeIn(shown.stdout);
	}

	/** Others change and add things; refresh, every form of the drift report and the export look at them. */
	async driftAndRefresh(): Promise<void> {
		const { test, canaries } = this;
		const text = (field: string) => canaries.text(`drifted ${field}`);
		const s3 = { key: text("storage.s3.key"), extra: text("storage.s3, added") };
		await test.client.pipelines.settings({
			pipeline_name: "rusty-vise",
			environment: `OURS=${text("OURS")}\nADDED=${text("ADDED")}\nFSSPEC_S3=${JSON.stringify(s3)}`,
			repository: `https://u:${canaries.word("drifted repository")}@example.com/other.git`,
			requirements: `--extra-index-url https://${canaries.word("drifted requirements")}@example.com/simple`,
		});
		await this.step("refresh preview", test.stack.refresh(["--preview-only", "--diff"]));
		const { folder, name } = test.stack;
		const [drift, out] = [["drift", "--stack", name], join(folder, "exported")];
		await this.commands([
			["drift reports", [...drift, "--html", join(folder, "drift.html")], 2],
			["drift reports", [...drift, "--json"], 2],
			["drift reports", ["--debug", ...drift, "--markdown"], 2],
			["exported programs", ["export", "--out", out], 0],
		]);
		canaries.searchFolder("exported programs", "files", out);
		await this.step("refresh", test.stack.refresh(["--skip-preview", "--diff"]));
		test.declare(...refused(canaries));
		await this.step("check failure", test.stack.preview(["--diff"]), false);
	}

	/** Commands of ours side by side; the last number is what each must end with, where it matters. */
	private async commands(runs: readonly (readonly [Place, readonly string[], number?])[]): Promise<void> {
		const { folder, stack } = this.test;
		await Promise.all(
			runs.map(async ([place, args, wanted]) => {
				const { code, stdout, stderr } = await runCli({ folder, env: stack.env }, args);
				const what = args.join(" ");
				if (wanted !== undefined && code !== wanted)
					this.problems.push(`${what}: ${code} ${stderr.slice(-300)}`);
				this.canaries.search(place, what, `${stdout}\n${stderr}`);
			}),
		);
	}

	/** The service refuses, repeating what it got; the command line fails with its own traces switched on. */
	async fail(token: string): Promise<void> {
		const { test, canaries } = this;
		const { faults } = test.server;
		for (const status of this.full ? [400, 500] : [400]) {
			// One resource at a time: a service can only repeat what it was sent.
			const [settings] = resources(canaries, `error ${status}`);
			if (settings === undefined) throw new Error("The program declares nothing.");
			test.declare(settings);
			const message = `bad ${token}: ${JSON.stringify(settings.args)}`;
			faults.add({ endpoint: "updateSettings", kind: "status", status, message });
			await this.up(`error ${status}`, false);
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
		await this.up("timeout", false);
		faults.clear();
	}

	/** The token in the stack's configuration instead of the environment. */
	async configToken(token: string): Promise<void> {
		const { stack } = this.test;
		await stack.setConfig("datachain:token", token, { secret: true });
		delete stack.env.DATACHAIN_STUDIO_TOKEN;
		this.test.declare(...resources(this.canaries, "token in the config"));
		await this.up("token in the config");
		stack.env.DATACHAIN_STUDIO_TOKEN = token;
	}
}
