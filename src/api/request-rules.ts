import { CronError, cronHint, parseCron } from "../schemas/cron";
import { parseInstant } from "../schemas/instant";
import type { EndpointName } from "../schemas/wire/endpoints";
import type { RequestProblem } from "./errors";

type Fields = Readonly<Record<string, unknown>>;
type Rule = (fields: Fields) => RequestProblem[];

const broken = (field: string, reason: string): RequestProblem[] => [{ field, reason }];
const isSet = (value: unknown): boolean => value !== undefined && value !== "";

const onlyOneCluster: Rule = (fields) =>
	isSet(fields.compute_cluster_name) && isSet(fields.compute_cluster_id)
		? broken("compute_cluster_name", "and compute_cluster_id exclude each other: give one")
		: [];

const namesPipeline: Rule = (fields) =>
	isSet(fields.name) || isSet(fields.pipeline_id) ? [] : broken("name", "or pipeline_id is needed");

const readableCron: Rule = ({ cron_expression: cron }) => {
	if (typeof cron !== "string") return [];
	try {
		parseCron(cron);
		return [];
	} catch (error) {
		if (!(error instanceof CronError)) throw error;
		const hint = cronHint(cron, new Date()).replace(/\.$/, "");
		return broken("cron_expression", `cannot be used: ${error.reason}${hint === "" ? "" : `.${hint}`}`);
	}
};

const readableStart: Rule = ({ start_after: start }) =>
	typeof start === "string" && parseInstant(start) === undefined
		? broken("start_after", "is not an ISO 8601 date-time that exists; write 2026-01-31T06:00:00Z")
		: [];

const someTime: Rule = (fields) =>
	isSet(fields.cron_expression) || isSet(fields.start_after)
		? []
		: broken("cron_expression", "or start_after is needed, or the schedule would never run");

const someChange =
	(...identity: readonly string[]): Rule =>
	(fields) =>
		Object.keys(fields).some((name) => fields[name] !== undefined && !identity.includes(name))
			? []
			: broken("", "the request changes nothing: give at least one field to change");

/** Line numbers only: the text of a broken line may be the rest of somebody's secret. */
const environmentLines: Rule = ({ environment }) => {
	if (typeof environment !== "string") return [];
	return environment.split("\n").flatMap((line, index) => {
		if (line.trim() === "" || line.startsWith("#")) return [];
		if (/[\r\0]/.test(line)) return broken("environment", `line ${index + 1} has a control character`);
		return line.indexOf("=") > 0
			? []
			: broken("environment", `line ${index + 1} does not have the form NAME=VALUE`);
	});
};

/** What the shapes cannot say: rules between fields, and texts with a grammar of their own. */
export const requestRules: Readonly<Partial<Record<EndpointName, readonly Rule[]>>> = {
	createJob: [onlyOneCluster, readableCron, readableStart, environmentLines],
	createSchedule: [someTime, readableCron, readableStart],
	updateSchedule: [someChange("schedule_id", "team_name"), readableCron, readableStart],
	updateSettings: [someChange("pipeline_name", "team_name"), environmentLines],
	pausePipeline: [namesPipeline],
	resumePipeline: [namesPipeline],
	removeJob: [namesPipeline],
};
