import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
	connectionSources,
	readStack,
	runPulumi,
} from "../../../src/commands/pulumi-cli";
import { entry, secret, stateText } from "../../helpers/drift-team";
import { testFolder } from "../../helpers/test-folder";

let folder: string;
beforeEach(() => {
	folder = testFolder("run-pulumi-");
	vi.stubEnv("PATH", folder);
});
afterEach(() => void vi.unstubAllEnvs());

/** Puts a command named pulumi on the PATH that runs this text. */
function install(script: string): void {
	const code = `#!${process.execPath}\n${script}`;
	writeFileSync(join(folder, "pulumi"), code, { mode: 0o755 });
}

describe.skipIf(process.platform === "win32")("runPulumi", () => {
	it("answers what the command prints, and asks it no questions", async () => {
		install(
			"console.log(process.argv.slice(2).join(' '), process.env.PULUMI_SKIP_UPDATE_CHECK)",
		);
		expect(await runPulumi(["config", "--json"])).toBe(
			"config --json --non-interactive true\n",
		);
	});

	it("says in one line what the command complains of, without colours, its input and its output", async () => {
		install(
			"process.stdin.on('data', (text) => { console.log('out ' + text); console.error('\\u001b[31merror: \\u001b[0mbad\\nvalue: ' + text + '!'); })" +
				".on('end', () => process.exit(1))",
		);
		await expect(
			runPulumi(["config", "set"], { input: "first\nsecond  third" }),
		).rejects.toThrow(/^bad value: \[secret\]!$/);
	});

	it("names the exit code if the command says nothing, even if it never reads its input", async () => {
		install("process.exit(7)");
		await expect(runPulumi(["up"], { input: "x".repeat(1_000_000) })).rejects.toThrow(
			"it ended with code 7.",
		);
	});

	it("says what to install if there is no Pulumi CLI", async () => {
		await expect(runPulumi(["up"])).rejects.toThrow(
			/^the Pulumi CLI is not on PATH\. Install it \(https:/,
		);
	});

	it("ends when it is told to stop", async () => {
		install("setInterval(() => {}, 1000)");
		await expect(
			runPulumi(["up"], { signal: AbortSignal.timeout(200) }),
		).rejects.toThrow("it was stopped.");
	});
});

describe.skipIf(process.platform === "win32")("the state of a stack", () => {
	const signal = new AbortController().signal;
	const explicit = {
		baseUrl: "https://studio.example.com",
		token: "t",
		teamName: "ml",
	};
	/** A CLI that decrypts only when it is told to, and writes down what it was asked. */
	const exporting = (...resources: readonly object[]) => {
		const log = join(folder, "asked");
		const hidden = stateText(...resources).replaceAll('"plaintext":', '"ciphertext":');
		install(
			`require("node:fs").appendFileSync(${JSON.stringify(log)}, process.argv.slice(2).join(" ") + "\\n");` +
				`const clear = process.argv.includes("--show-secrets");` +
				`console.log(clear ? ${JSON.stringify(stateText(...resources))} : ${JSON.stringify(hidden)});`,
		);
		return () => readFileSync(log, "utf8").trim().split("\n");
	};
	beforeEach(() => {
		for (const [name, value] of [
			["URL", explicit.baseUrl],
			["TOKEN", "t"],
			["TEAM", "ml"],
		] as const)
			vi.stubEnv(`DATACHAIN_STUDIO_${name}`, value);
	});

	it("is exported once, without decrypting it, if no resource of ours has a secret", async () => {
		const bucket = {
			...entry("PipelineSettings", "bucket", "b", { key: secret("k") }),
			type: "aws:s3/bucket:Bucket",
		};
		const asked = exporting(
			entry("PipelineSettings", "a", "vision/a", { repository: "r" }),
			bucket,
		);
		const { state } = await readStack({ signal });
		expect(
			state.resources.map(({ name, inputs }) => [name, inputs.repository]),
		).toEqual([["a", "r"]]);
		expect(asked()).toEqual(["stack export --non-interactive"]);
	});

	it("is exported again with its secrets if a resource of ours has one", async () => {
		const asked = exporting(
			entry("PipelineSettings", "a", "vision/a", { repository: secret("r") }),
		);
		const { state } = await readStack({ signal });
		expect(state.resources.map(({ inputs }) => inputs.repository)).toEqual(["r"]);
		expect(asked()).toEqual([
			"stack export --non-interactive",
			"stack export --show-secrets --non-interactive",
		]);
	});
});

describe("where the connection comes from", () => {
	const signal = new AbortController().signal;
	const settings = {
		baseUrl: "https://studio.example.com",
		token: "t",
		teamName: "ml",
	};
	beforeEach(() => {
		vi.spyOn(process, "cwd").mockReturnValue(folder);
		for (const name of ["URL", "TOKEN", "TEAM"])
			vi.stubEnv(`DATACHAIN_STUDIO_${name}`, "");
	});
	afterEach(() => void vi.restoreAllMocks());

	it("takes what the environment leaves open from the config of the stack in this folder", async () => {
		vi.stubEnv("DATACHAIN_STUDIO_URL", "https://studio.example.com");
		writeFileSync(join(folder, "Pulumi.yaml"), "name: team\nruntime: nodejs\n");
		install(`console.log('{"datachain:token":{"value":"t","secret":true}}')`);
		const { config } = await connectionSources({ signal });
		expect([config?.("token"), config?.("teamName")]).toEqual(["t", undefined]);
	});

	it("without a project is not the stack, and a stack that is named is not left out in silence", async () => {
		expect(await connectionSources({ signal })).toEqual({ explicit: undefined });
		await expect(connectionSources({ stack: "prod", signal })).rejects.toThrow(
			'There is no Pulumi project in this folder, nor above it, so stack "prod" cannot be read. Run the command in the project\'s folder, or leave --stack out.',
		);
		const whole = { stack: "prod", signal, explicit: settings };
		expect(await connectionSources(whole)).toEqual({ explicit: settings });
	});
});
