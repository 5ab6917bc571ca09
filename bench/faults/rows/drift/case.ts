import type { DataChainClient } from "../../../../src/api";

export type Kind = "PipelineSchedule" | "PipelineSettings";
export type Inputs = Readonly<Record<string, unknown>>;

/** Where a change is made, by someone with a client of their own. */
export interface There {
	readonly client: DataChainClient;
	readonly pipeline: string;
	/** Of the schedule; 0 for settings. */
	readonly id: number;
}

/** One change behind Pulumi's back, to a resource that nothing else happens to. */
export interface DriftCase {
	readonly kind: Kind;
	/** The field of the schema that it is about: `cronExpression`, `storage.s3.key`. */
	readonly covers: string;
	readonly what: string;
	/** As a program declares it, without the pipeline; `storage` by kind. */
	readonly declared: Inputs;
	change(there: There): Promise<unknown>;
	/** What must be named; nothing where the change means the same. */
	readonly named: readonly string[];
}

const caseOf =
	(kind: Kind) =>
	(
		covers: string,
		what: string,
		declared: Inputs,
		change: DriftCase["change"],
		named: readonly string[] = [covers],
	): DriftCase => ({ kind, covers, what, declared, change, named });

export const inScheduleCase = caseOf("PipelineSchedule");
export const inSettingsCase = caseOf("PipelineSettings");

/** Sets something of the pipeline, as the service's own page does. */
export const set =
	(
		settings: Omit<Parameters<DataChainClient["pipelines"]["settings"]>[0], "pipeline_name">,
	): DriftCase["change"] =>
	({ client, pipeline }) =>
		client.pipelines.settings({ pipeline_name: pipeline, ...settings });
