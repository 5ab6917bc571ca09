import { testDeployment } from "../../../../test/helpers/e2e-deployment";
import { managedResources, resourceName } from "../../../../tools/stack";
import { all, type Figure, none, type RowContext } from "../../row";
import type { DriftCase } from "./cases";

const TEAM = "cases";

/** The same through the real engine: `pulumi refresh --preview-only --diff` over resources that drifted. */
export async function engineFigures(
	context: RowContext,
	changes: readonly DriftCase[],
	spellings: readonly DriftCase[],
): Promise<Figure[]> {
	const some = context.scale === "full" ? (cases: readonly DriftCase[]) => cases : oneEach;
	const cases = [...some(changes), ...some(spellings)];
	const test = await testDeployment({ normalise: false, env: { DATACHAIN_STUDIO_TEAM: TEAM } });
	try {
		const team = test.server.addTeam(TEAM, { pipelines: cases.map((_, index) => `pipeline-${index}`) });
		test.declare(
			...cases.map(({ kind, declared }, index) => ({
				kind,
				name: `case-${index}`,
				args: { ...declared, ...storageArgs(declared.storage), pipelineName: `pipeline-${index}` },
			})),
		);
		await test.up();
		const resources = managedResources(await test.stack.export());
		const ids = new Map(resources.map((resource) => [resourceName(resource), Number(resource.id)]));
		context.progress(`${cases.length} resources deployed by the engine`);
		for (const [index, each] of cases.entries())
			each.change({ team, pipeline: `pipeline-${index}`, id: ids.get(`case-${index}`) ?? 0 });
		return judge(cases, sections(await test.drift()));
	} finally {
		await test.dispose();
	}
}

/** One case for each field of each resource. */
const oneEach = (cases: readonly DriftCase[]): DriftCase[] => {
	const fieldOf = ({ kind, covers }: DriftCase) => `${kind}.${covers.split(".")[0]}`;
	return [...new Map(cases.map((each) => [fieldOf(each), each])).values()];
};

const storageArgs = (storage: unknown): object =>
	storage === undefined
		? {}
		: {
				storage: Object.entries(storage as object).map(([kind, parameters]) => ({ kind, parameters })),
			};

/** What the engine prints under each resource, by the resource's name. */
function sections(printed: string): Map<string, string> {
	const [, ...parts] = printed.split(/\[urn=.*?::([^:\]\s]+)\]/);
	return new Map(parts.flatMap((name, at) => (at % 2 === 0 ? [[name, parts[at + 1] ?? ""]] : [])));
}

function judge(cases: readonly DriftCase[], shown: ReadonlyMap<string, string>): Figure[] {
	const label = ({ covers, what }: DriftCase) => `${covers}, ${what}`;
	const drifted = [...cases.entries()].filter(([, each]) => each.named.length > 0);
	const unnamed = drifted.flatMap(([index, each]) => {
		const text = shown.get(`case-${index}`) ?? "";
		const missing = each.named.filter((path) => !path.split(".").every((part) => shows(text, part)));
		return missing.length === 0 ? [] : [`${label(each)}: the refresh does not name ${missing.join(", ")}`];
	});
	const alarms = cases.flatMap((each, index) => {
		const text = each.named.length === 0 ? shown.get(`case-${index}`) : undefined;
		return text === undefined ? [] : [`${label(each)}: ${text.trim().slice(0, 200)}`];
	});
	return [
		all("engine: refresh finds and names", drifted.length - unnamed.length, drifted.length, unnamed),
		none("engine: false alarms", alarms),
	];
}

/** A line of a diff: `~ cronExpression: "0 3 * * *" => "9 9 * * *"`. */
const shows = (text: string, name: string): boolean =>
	new RegExp(`^\\s*[~+-]\\s*${name}\\s*:`, "m").test(text);
