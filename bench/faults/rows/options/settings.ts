import type { Declared } from "../../../../test/helpers/e2e-deployment";
import { settingsOf } from "./ledger";
import type { Scenario, Variant } from "./scenario";

/** Gives a pipeline that nobody else uses. */
export type NewPipeline = () => Promise<string>;

/** Settings are cleared when Pulumi deletes them, so an unasked deletion shows. */
const settings = (
	variant: Variant,
	name: string,
	pipelineName: string,
	opts: Declared["opts"] = {},
	more: Partial<Pick<Declared, "from">> = {},
): Declared => ({
	kind: "PipelineSettings",
	name,
	args: {
		pipelineName,
		pythonVersion: "3.12",
		environment: { MODEL: "clip" },
		onDestroy: "reset",
		adopt: variant === "adopted",
	},
	opts,
	...more,
});

const script = (name: string): Declared => ({
	kind: "JobFile",
	name,
	args: { name: "prepare.py", text: "print('kept')\n" },
});

type Make = (
	names: { a: string; b: string },
	pipelines: { p: string; q: string },
	variant: Variant,
) => Scenario;

const MAKE: Readonly<Record<string, Make>> = {
	removal: ({ a }, { p }, v) => ({
		...shell(v),
		before: [settings(v, a, p)],
		after: [],
		asked: asks([p], []),
	}),
	replacement: ({ a }, { p, q }, v) => ({
		...shell(v),
		before: [settings(v, a, p)],
		after: [settings(v, a, q)],
		asked: asks([p], [q]),
	}),
	"deleteBeforeReplace false": ({ a }, { p, q }, v) => ({
		...shell(v),
		before: [settings(v, a, p)],
		after: [settings(v, a, q, { deleteBeforeReplace: false })],
		asked: asks([p], [q]),
	}),
	rename: ({ a, b }, { p }, v) => ({
		...shell(v),
		before: [settings(v, a, p)],
		after: [settings(v, b, p)],
		asked: asks([], [p]),
	}),
	alias: ({ a, b }, { p }, v) => ({
		...shell(v),
		before: [settings(v, a, p)],
		after: [settings(v, b, p, { aliases: [{ name: a }] })],
		asked: asks([], [p]),
	}),
	retainOnDelete: ({ a }, { p }, v) => ({
		...shell(v),
		before: [settings(v, a, p, { retainOnDelete: true })],
		after: [],
		asked: asks([], [p]),
	}),
	ignoreChanges: ({ a }, { p, q }, v) => ({
		...shell(v),
		before: [settings(v, a, p)],
		after: [settings(v, a, q, { ignoreChanges: ["pipelineName"] })],
		asked: asks([], [p]),
	}),
	"renamed file": ({ a, b }, { p }, v) => ({
		...shell(v),
		before: [script(`${a}-file`), settings(v, a, p, {}, { from: { files: [`${a}-file.id`] } })],
		after: [script(`${b}-file`), settings(v, a, p, {}, { from: { files: [`${b}-file.id`] } })],
		asked: asks([], [p]),
	}),
	target: ({ a, b }, { p, q }, v) => ({
		...shell(v),
		stage: "target",
		before: [settings(v, a, p), settings(v, b, q)],
		after: [settings(v, a, p)],
		targets: [a],
		asked: asks([], [p, q]),
		later: asks([q], [p]),
	}),
	protect: ({ a }, { p }, v) => ({
		...shell(v),
		stage: "refused",
		group: "protect",
		before: [settings(v, a, p, { protect: true })],
		after: [],
		asked: asks([], [p]),
	}),
};

const shell = (variant: Variant) => ({ name: variant, stage: "together" as const });

const asks = (deletes: readonly string[], leaves: readonly string[]) => ({
	deletes: deletes.map(settingsOf),
	leaves: leaves.map(settingsOf),
});

export async function settingsScenarios(variant: Variant, newPipeline: NewPipeline): Promise<Scenario[]> {
	const scenarios: Scenario[] = [];
	for (const [name, make] of Object.entries(MAKE)) {
		const slot = `settings-${name.replaceAll(" ", "-")}-${variant}`;
		const pipelines = { p: await newPipeline(), q: await newPipeline() };
		const made = make({ a: `${slot}-a`, b: `${slot}-b` }, pipelines, variant);
		scenarios.push({ ...made, name: `settings, ${name} (${variant})` });
	}
	return scenarios;
}
