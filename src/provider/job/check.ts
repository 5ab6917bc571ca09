import type { Cluster } from "../../schemas/wire/cluster";
import type { Call } from "../context";
import { type CheckResult, type Problem, type Props, problem } from "../handler";
import { checkStorageConfigs } from "../pipeline-settings/check-storage";
import { checkFields } from "../shared/check-fields";
import { diffByTable, withOld } from "../shared/table";
import { withTeam } from "../shared/team";
import { containsUnknown } from "../shared/unknown";
import { resourceName } from "../urn";
import { JOB_FIELDS } from "./fields";
import { MARKER } from "./marker";
import { withQuery } from "./query";

export async function checkJob(call: Call, olds: Props, news: Props): Promise<CheckResult> {
	const { inputs: given, problems } = withTeam(call, olds, news);
	const { inputs: complete, problems: unclear } = await withQuery(call, olds, given);
	const inputs = withOld(JOB_FIELDS, olds, complete, noReasons(given));
	call.ownership.declare(call.urn, undefined);
	call.declared.set(call.urn, inputs);
	const found = [
		...problems,
		...checkFields(JOB_FIELDS, olds, inputs),
		...unclear,
		...checkStorageConfigs(call, olds, inputs, `Job ${resourceName(call.urn)}`),
		...rules(inputs),
	];
	// What the state has already was run with this cluster; it is asked for again only where a job will be run.
	if (found.length > 0 || !willRun(olds, inputs)) return { inputs, problems: found };
	return { inputs, problems: await clusterProblems(call, inputs) };
}

const willRun = (olds: Props, inputs: Props): boolean =>
	diffByTable(JOB_FIELDS, olds, inputs).replaces.length > 0;

/**
 * What is no reason to run the job again: a default name, which changes when the resource or its file is renamed; and
 * other bytes where changes of them are ignored, so that the engine gives the hash.
 */
const noReasons = ({ name, contentHash }: Props): string[] => [
	...(name === undefined ? ["name"] : []),
	...(contentHash === undefined ? [] : ["contentHash"]),
];

const PATH = /^[\w./\\-]+\.(py|sh|bash)$/i;

function rules(inputs: Props): Problem[] {
	const { query, queryType, clusterName, clusterId, wait, cronExpression, startAfter, environment } = inputs;
	const problems: Problem[] = [];
	// As Python it would only name a variable; in a shell it is a command, whose file may come with the repository.
	if (queryType === "PYTHON" && typeof query === "string" && PATH.test(query.trim())) {
		problems.push(problem("query", 'is a path, and query is the text itself. Write file: "./train.py".'));
	}
	if (clusterName !== undefined && clusterId !== undefined) {
		problems.push(problem("clusterName", "clusterName and clusterId are both given. Keep one of the two."));
	}
	if (wait === true && (cronExpression !== undefined || startAfter !== undefined)) {
		const text =
			"a job with a cronExpression or a startAfter becomes a task that runs later, so there is nothing to wait for. Leave wait out.";
		problems.push(problem("wait", text));
	}
	if (Object.hasOwn(Object(environment), MARKER)) {
		const text = `${MARKER} is set by this resource, to find its job again. Use another name.`;
		problems.push(problem("environment", text));
	}
	return problems;
}

/** The cluster must be there and active, and large enough: a job that can never start would only wait. */
async function clusterProblems(call: Call, inputs: Props): Promise<Problem[]> {
	const { teamName: team, clusterName: name, clusterId: id, workers } = inputs;
	if (containsUnknown([team, name, id])) return [];
	const isNamed = name !== undefined || id !== undefined;
	if (!isNamed && typeof workers !== "number") return [];
	const field = id === undefined ? "clusterName" : "clusterId";
	const clusters = await call.lists.clusters(String(team));
	const cluster = clusters.find((each) => {
		if (!isNamed) return each.default === true;
		return id === undefined ? each.name === name : String(each.id) === String(id);
	});
	if (cluster === undefined) {
		if (!isNamed) return [];
		const known = clusters.map((each) => `"${each.name}" (id ${each.id})`).join(", ") || "none";
		const wanted = JSON.stringify(name ?? id);
		return [problem(field, `team "${String(team)}" has no compute cluster ${wanted}. It has ${known}.`)];
	}
	if (!isActive(cluster)) {
		const status = cluster.status ?? "not active";
		return [
			problem(field, `compute cluster "${cluster.name}" is ${status}, so a job on it would not start.`),
		];
	}
	if (typeof workers !== "number" || workers <= (cluster.max_workers ?? workers)) return [];
	const text = `${workers} is more than compute cluster "${cluster.name}" has, which is ${cluster.max_workers}.`;
	return [problem("workers", text)];
}

const isActive = ({ is_active, status }: Cluster): boolean =>
	is_active ?? (status ?? "ACTIVE").toUpperCase() === "ACTIVE";
