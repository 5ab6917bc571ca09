import { type Declared, type TestDeployment, testDeployment } from "../../../../test/helpers/e2e-deployment";
import { managedResources, resourceName } from "../../../../tools/stack";
import { all, type Figure, none, type RowContext } from "../../row";
import type { DriftCase } from "./case";
import { newPipeline } from "./deployed";

interface Sampled {
	readonly each: DriftCase;
	readonly name: string;
	readonly pipeline: string;
}

/** The same through the real engine: `pulumi refresh --preview-only --diff` over resources that drifted in different fields. */
export async function engineFigures(
	context: RowContext,
	changes: readonly DriftCase[],
	spellings: readonly DriftCase[],
): Promise<Figure[]> {
	const cases =
		context.scale === "full" ? [...changes, ...spellings] : [...oneEach(changes), ...oneEach(spellings)];
	const test = await testDeployment({ normalise: false });
	try {
		const sampled: Sampled[] = [];
		for (const [index, each] of cases.entries())
			sampled.push({ each, name: `case-${index}`, pipeline: await newPipeline(test.client) });
		test.declare(...sampled.map(declaration));
		await test.up();
		const ids = await scheduleIds(test);
		context.progress(`${sampled.length} resources deployed by the engine`);
		for (const { each, name, pipeline } of sampled)
			await each.change({ client: test.client, pipeline, id: ids.get(name) ?? 0 });
		const shown = sections(await test.drift());
		return judge(sampled, shown);
	} finally {
		await test.dispose();
	}
}

/** One case for each field of each resource. */
function oneEach(cases: readonly DriftCase[]): DriftCase[] {
	const fieldOf = ({ kind, covers }: DriftCase) => `${kind}.${covers.split(".")[0]}`;
	return cases.filter(
		(each, index) => cases.findIndex((other) => fieldOf(other) === fieldOf(each)) === index,
	);
}

function declaration({ each, name, pipeline }: Sampled): Declared {
	const { storage, ...others } = each.declared;
	const configs = Object.entries((storage ?? {}) as object).map(([kind, parameters]) => ({
		kind,
		parameters,
	}));
	const args = { ...others, pipelineName: pipeline, ...(storage !== undefined && { storage: configs }) };
	return { kind: each.kind, name, args };
}

async function scheduleIds({ stack }: TestDeployment): Promise<Map<string, number>> {
	const resources = managedResources(await stack.export());
	return new Map(resources.map((resource) => [resourceName(resource), Number(resource.id)]));
}

/** What the engine prints under each resource, by the resource's name. */
function sections(printed: string): Map<string, string> {
	const parts = printed.split(/\[urn=.*?::([^:\]\s]+)\]/);
	const found = new Map<string, string>();
	for (let index = 1; index + 1 < parts.length; index += 2) {
		const [name = "", text = ""] = [parts[index], parts[index + 1]];
		found.set(name, text);
	}
	return found;
}

function judge(sampled: readonly Sampled[], shown: ReadonlyMap<string, string>): Figure[] {
	const drifted = sampled.filter(({ each }) => each.named.length > 0);
	const unnamed = drifted.flatMap(({ each, name }) => {
		const text = shown.get(name) ?? "";
		const missing = each.named.filter((path) => !path.split(".").every((part) => shows(text, part)));
		return missing.length === 0
			? []
			: [`${each.covers}, ${each.what}: the refresh does not name ${missing.join(", ")}`];
	});
	const alarms = sampled.filter(({ each, name }) => each.named.length === 0 && shown.has(name));
	return [
		all("engine: refresh finds and names", drifted.length - unnamed.length, drifted.length, unnamed),
		none(
			"engine: false alarms",
			alarms.map(
				({ each, name }) => `${each.covers}, ${each.what}: ${shown.get(name)?.trim().slice(0, 200)}`,
			),
		),
	];
}

/** A line of a diff: `~ cronExpression: "0 3 * * *" => "9 9 * * *"`. */
const shows = (text: string, name: string): boolean =>
	new RegExp(`^\\s*[~+-]\\s*${name}\\s*:`, "m").test(text);
