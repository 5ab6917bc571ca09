import type * as pulumi from "@pulumi/pulumi";
import type { Declaration } from "../boundary/declaration";
import { DynamicResource } from "../boundary/dynamic-resource";
import type { ScheduleCreator } from "../schemas/schedule-creator";
import { declaredKind } from "./declared-kind";

export interface PipelineScheduleArgs {
	/** Name of the pipeline to run. Changing it replaces the schedule: the service cannot move one. */
	pipelineName: pulumi.Input<string>;
	/**
	 * When to run: five cron fields in UTC (`0 3 * * 1-5`), or one of `@hourly`, `@daily`, `@midnight`, `@weekly`,
	 * `@monthly`, `@yearly`, `@annually`. `H` in a field becomes a fixed value made of team and schedule name, so that
	 * schedules spread: `H 3 * * *`, `H(0-29) 2 * * *`, `H/15 * * * *`. Checked at preview. Updates in place; taking it
	 * away replaces the schedule.
	 */
	cronExpression?: pulumi.Input<string>;
	/**
	 * Whose clocks the cron expression follows, as an IANA name: `Europe/Berlin`. Default UTC. The service knows UTC only,
	 * so the expression is compiled for the offset that holds now; `validUntil` says how long that holds, and the next
	 * deployment after a change of clocks updates the schedule. Updates in place.
	 */
	timeZone?: pulumi.Input<string>;
	/**
	 * Not before this time, as ISO 8601 (`2026-01-31T03:00:00Z`; UTC where no offset is given). Without a cron expression
	 * the schedule runs once, then. Updates in place. Where left out, the service's own value is not managed.
	 */
	startAfter?: pulumi.Input<string>;
	/** Whether the schedule's pipeline is paused. Left out, it is not managed. Updates in place. */
	paused?: pulumi.Input<boolean>;
	/** Name of the schedule, unique in its team. Default `<project>-<stack>-<resource name>`. Updates in place. */
	scheduleName?: pulumi.Input<string>;
	/** Team to work in. Default: the connection's. Changing it replaces the schedule. */
	teamName?: pulumi.Input<string>;
	/**
	 * Take over a schedule of this name that already exists. The preview says what will change. Default false: an
	 * existing schedule is refused. Only a run with `DATACHAIN_ADOPT_EQUAL=true` takes over one that equals the declared
	 * one in every declared field without it.
	 */
	adopt?: pulumi.Input<boolean>;
}

/** A pipeline as a schedule shows it. Its environment and error texts are left out: they may hold secrets. */
export interface PipelineSummary {
	pipelineId: string;
	name?: string;
	status?: string;
	triggeredFrom?: string;
	completed?: number;
	total?: number;
	createdAt?: string;
	updatedAt?: string;
}

const OPTIONAL = ["cronExpression", "timeZone", "startAfter", "paused", "adopt"];

const DECLARATION: Declaration<PipelineScheduleArgs> = {
	...declaredKind("PipelineSchedule"),
	madeOf: { utcCron: ["cronExpression"] },
	properties: [
		"scheduleName",
		"pipelineName",
		...OPTIONAL,
		"teamName",
		"scheduleId",
		"nextRun",
		"createdAt",
		"updatedAt",
		"createdBy",
		"latestRun",
		"pipeline",
		"adopted",
		"cronDescription",
		"utcCron",
		"validUntil",
		"serviceUrl",
	],
	optional: OPTIONAL,
	insteadOfImport: "Leave it out and set adopt: true, which takes over the schedule of that name.",
	inputs: (args) => args,
};

/**
 * Runs a pipeline by the clock.
 *
 * ```ts
 * const nightly = new datachain.PipelineSchedule("nightly", {
 *     pipelineName: "nightly-images",
 *     cronExpression: "0 3 * * *",
 * });
 * export const nextRun = nightly.nextRun;
 * ```
 */
export class PipelineSchedule extends DynamicResource<PipelineScheduleArgs> {
	declare readonly scheduleName: pulumi.Output<string>;
	declare readonly pipelineName: pulumi.Output<string>;
	declare readonly cronExpression: pulumi.Output<string | undefined>;
	declare readonly timeZone: pulumi.Output<string | undefined>;
	declare readonly startAfter: pulumi.Output<string | undefined>;
	declare readonly paused: pulumi.Output<boolean | undefined>;
	declare readonly teamName: pulumi.Output<string>;
	declare readonly adopt: pulumi.Output<boolean | undefined>;
	/** The service's id of the schedule. */
	declare readonly scheduleId: pulumi.Output<number>;
	/** When it runs next, as the service computes it. */
	declare readonly nextRun: pulumi.Output<string | undefined>;
	/** When it was made, by the service's clock. */
	declare readonly createdAt: pulumi.Output<string | undefined>;
	/** When it was last changed. */
	declare readonly updatedAt: pulumi.Output<string | undefined>;
	/** Who made it. */
	declare readonly createdBy: pulumi.Output<ScheduleCreator | undefined>;
	/** The newest run that the schedule started, where there is one. */
	declare readonly latestRun: pulumi.Output<PipelineSummary | undefined>;
	/** The pipeline that the schedule runs. */
	declare readonly pipeline: pulumi.Output<PipelineSummary | undefined>;
	/** True where the schedule existed before and was taken over with `adopt`. */
	declare readonly adopted: pulumi.Output<boolean>;
	/** What the cron expression means, in plain language. */
	declare readonly cronDescription: pulumi.Output<string | undefined>;
	/** The expression that the service has; undefined where that is `cronExpression` itself. */
	declare readonly utcCron: pulumi.Output<string | undefined>;
	/** When the clocks of the time zone change so that `utcCron` needs an update; undefined where they never do. */
	declare readonly validUntil: pulumi.Output<string | undefined>;
	/** The service it was deployed to. */
	declare readonly serviceUrl: pulumi.Output<string>;

	/** Reads an existing one without managing it. The id is the service's id, as `getSchedules` shows it. */
	static get(
		name: string,
		id: pulumi.Input<pulumi.ID>,
		opts?: pulumi.CustomResourceOptions,
	): PipelineSchedule {
		return new PipelineSchedule(name, {} as PipelineScheduleArgs, { ...opts, id });
	}

	constructor(name: string, args: PipelineScheduleArgs, opts?: pulumi.CustomResourceOptions) {
		super(DECLARATION, name, args, opts);
	}
}
