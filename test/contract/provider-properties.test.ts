import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it, onTestFinished } from "vitest";
import type { Props } from "../../src/provider/handler";
import { UNKNOWN } from "../../src/provider/shared/unknown";
import { tempFolder } from "../../tools/process/temp-folder";
import { validInputs } from "../helpers/provider-arbitraries";
import { Stack } from "../helpers/provider-engine";
import { checked, providerWorld } from "../helpers/provider-harness";

/** They reach URLs and messages, so they are as odd as they may be. */
const TEAMS = ["plain", "équipe 部 🚀", "a/b?c=d&e#f %2e", "__proto__"];
/** A preview must promise a replacement where such a value is not known yet, and only there. */
const REPLACING = ["pipelineName", "teamName", "text", "source", "name"];
const ASSET = { "4dabf18193072939515e22adb298388d": "c44067f5952c0a294b673a41bacd8c17" };
const SEED = Number(process.env.PROPERTIES_SEED ?? 1);
const CASES = Number(process.env.PROPERTIES_CASES ?? 100);

it("whatever is declared reads back as declared, with nothing left to do, also after a change", {
	timeout: 180_000 + 500 * CASES,
}, async () => {
	const world = await providerWorld();
	const folder = tempFolder("properties-");
	onTestFinished(folder.remove);
	const fileInputs = ({ content, given, name }: Props): Props => {
		const text = String(content);
		const hash = createHash("sha256").update(text).digest("hex");
		const path = join(folder.path, hash);
		writeFileSync(path, text);
		if (given === "text") return { text, name };
		if (given === "path") return { source: path };
		return { source: { ...ASSET, hash, ...(given === "stringAsset" ? { text } : { path }) }, name };
	};
	let cases = 0;
	const lives = fc.asyncProperty(validInputs, async ({ kind, first, second, unknown }) => {
		const teamName = TEAMS[cases++ % TEAMS.length] ?? "";
		const colleague = world.server.addTeam(teamName, { pipelines: ["p"] });
		try {
			const { client } = world.process().context;
			const files = new Map<unknown, string>();
			for (const name of ["1", "2", "3"]) {
				const { file } = await client.jobs.uploadFile({ name, content: "x" }, { team_name: teamName });
				files.set(name, String(file.id));
			}
			const filled = (inputs: Props): Props => {
				if (kind === "JobFile") return fileInputs(inputs);
				const attached = Array.isArray(inputs.files) && {
					files: inputs.files.map((name) => files.get(name)),
				};
				return { ...inputs, ...attached, pipelineName: "p" };
			};
			// What travels between the engine and the provider is JSON.
			const sent = (inputs: Props): Props => JSON.parse(JSON.stringify({ ...filled(inputs), teamName }));
			const a = sent(first);
			// What others had set stays theirs where it is not adopted, and is rightly refused.
			const b = sent(kind === "PipelineSettings" ? { ...second, adopt: first.adopt } : second);
			if (kind === "PipelineSettings" && a.adopt === true)
				colleague.setSettings({
					...{ pipeline_name: "p", python_version: "3.10", requirements: "theirs", workers: 7 },
					environment: 'THEIRS=1\nFSSPEC_S3={"anon":true}',
				});
			const stack = new Stack(world);
			const who = { kind, name: "one" };
			const up = async (inputs: Props) => {
				const { steps, failures } = await stack.up([{ ...who, inputs }]);
				expect(failures).toEqual([]);
				return steps;
			};
			const settles = async (inputs: Props) => {
				const declared = stack.entry("one").inputs;
				await stack.refresh();
				expect({ ...stack.entry("one").inputs, __provider: "stub" }).toEqual(declared);
				expect(await up(inputs)).toEqual(["same one"]);
			};
			const once = await checked(world.process(), who, a);
			expect(await checked(world.process(), who, once)).toEqual(once);
			expect(await up(a)).toEqual(["create one"]);
			expect(await checked(world.process(), who, once, stack.entry("one"))).toEqual(once);
			await settles(a);
			const keys = Object.keys(a);
			const sure = keys[(unknown.next().value ?? 0) % keys.length];
			const open = keys.filter((key) => key === sure || (unknown.next().value ?? 0) % 5 === 0);
			const unknowns = Object.fromEntries(open.map((key) => [key, UNKNOWN]));
			const { steps, failures } = await stack.preview([{ ...who, inputs: { ...a, ...unknowns } }]);
			expect(failures).toEqual([]);
			expect(steps.includes("replace one"), `unknown ${open.join(", ")}`).toBe(
				open.some((key) => REPLACING.includes(key)),
			);
			await up(b);
			await settles(b);
			const { id, outs } = stack.entry("one");
			expect((await stack.destroy()).failures).toEqual([]);
			if (kind === "PipelineSchedule") expect(await world.process().serve(kind).read(id, outs)).toEqual({});
		} finally {
			world.server.removeTeam(teamName);
		}
	});
	await fc.assert(lives, { seed: SEED, numRuns: CASES });
});
