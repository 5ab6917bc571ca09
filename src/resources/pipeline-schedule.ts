import * as pulumi from "@pulumi/pulumi";
import type { ScheduleCreator } from "../schemas/wire/results";
import {
	type Declaration,
	DynamicResource,
	type InputsAsOutputs,
	type PropertiesOf,
} from "./base";

export interface PipelineScheduleArgs {
	/** Name of the pipeline to run. Changing it replaces the schedule, because the API cannot change a schedule's pipeline. */
	pipelineName: pulumi.Input<string>;
	/**
	 * When to run: five cron fields in UTC (`0 3 * * 1-5`), or one of `@hourly`, `@daily`, `@midnight`, `@weekly`,
	 * `@monthly`, `@yearly`, `@annually`. `H` in a field becomes a fixed value derived from team and schedule name, so
	 * schedules spread: `H 3 * * *`, `H(0-29) 2 * * *`, `H/15 * * * *`. Checked at preview. Updates in place; removing it
	 * replaces the schedule.
	 */
	cronExpression?: pulumi.Input<string>;
	/**
	 * Time zone of the cron expression, as an IANA name: `Europe/Berlin`. Default: UTC. The service knows UTC only,
	 * so the expression is compiled for the current offset. After a daylight-saving change (`validUntil`), the next
	 * deployment updates the schedule. Updates in place.
	 */
	timeZone?: pulumi.Input<string>;
	/**
	 * Start time, as ISO 8601 (`2026-01-31T03:00:00Z`; UTC if no offset is given). Without a cron expression
	 * the schedule runs once, at this time. Updates in place. If omitted, it is not managed.
	 */
	startAfter?: pulumi.Input<string>;
	/** Whether the schedule's pipeline is paused. If omitted, it is not managed. Updates in place. */
	paused?: pulumi.Input<boolean>;
	/** Name of the schedule, unique in its team. Default: `<project>-<stack>-<resource name>`. Updates in place. */
	scheduleName?: pulumi.Input<string>;
	/** Team to work in. Default: the connection's. Changing it replaces the schedule. */
	teamName?: pulumi.Input<string>;
	/**
	 * Adopt an existing schedule of this name. The preview says what will change. Default: false, and the deployment fails if
	 * the schedule exists. A deployment with `DATACHAIN_ADOPT_EQUAL=true` also adopts an existing schedule that equals
	 * every declared field.
	 */
	adopt?: pulumi.Input<boolean>;
}

/** A pipeline as a schedule shows it. Its environment and error texts are left out: they may hold secrets. */
export interface PipelineSummary {
	/** The service's id of the pipeline. */
	pipelineId: string;
	/** Name of the pipeline. */
	name?: string;
	/** Status of the pipeline, such as `PAUSED`. */
	status?: string;
	/** Dataset that it rebuilds. */
	triggeredFrom?: string;
	/** How many of its jobs are done. */
	completed?: number;
	/** How many jobs it has. */
	total?: number;
	/** When it was created. */
	createdAt?: string;
	/** When it was last changed. */
	updatedAt?: string;
}

const DECLARATION: Declaration<PipelineScheduleArgs> = {
	kind: "PipelineSchedule",
	derivedFrom: { utcCron: ["cronExpression"] },
	properties: {
		scheduleName: "output",
		pipelineName: "output",
		cronExpression: "optional",
		timeZone: "optional",
		startAfter: "optional",
		paused: "optional",
		adopt: "optional",
		teamName: "output",
		scheduleId: "output",
		nextRun: "output",
		createdAt: "output",
		updatedAt: "output",
		createdBy: "output",
		latestRun: "output",
		pipeline: "output",
		adopted: "output",
		cronDescription: "output",
		utcCron: "output",
		validUntil: "output",
		serviceUrl: "output",
	} satisfies PropertiesOf<PipelineSchedule, PipelineScheduleArgs>,
	insteadOfImport:
		"Leave it out and set adopt to true, which adopts the schedule of that name. With provider: new Provider(…) it works.",
	inputs: (args) => args,
};

/**
 * Runs a pipeline on a cron schedule.
 *
 * ```ts
 * const nightly = new datachain.PipelineSchedule("nightly", {
 *     pipelineName: "nightly-images",
 *     cronExpression: "0 3 * * *",
 * });
 * export const nextRun = nightly.nextRun;
 * ```
 */
export class PipelineSchedule
	extends DynamicResource<PipelineScheduleArgs>
	implements InputsAsOutputs<PipelineScheduleArgs>
{
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
	/** When it was created, by the service's clock. */
	declare readonly createdAt: pulumi.Output<string | undefined>;
	/** When it was last changed. */
	declare readonly updatedAt: pulumi.Output<string | undefined>;
	/** Name of the user who created it. */
	declare readonly createdBy: pulumi.Output<ScheduleCreator | undefined>;
	/** The newest run that the schedule started, if there is one. */
	declare readonly latestRun: pulumi.Output<PipelineSummary | undefined>;
	/** The pipeline that the schedule runs. */
	declare readonly pipeline: pulumi.Output<PipelineSummary | undefined>;
	/** True if the schedule existed before and was adopted. */
	declare readonly adopted: pulumi.Output<boolean>;
	/** When the schedule runs, in plain language: `every day at 03:00 UTC`, or `once, at 2026-01-31T03:00:00Z`. */
	declare readonly cronDescription: pulumi.Output<string | undefined>;
	/** The expression that the service has; undefined if that is `cronExpression` itself. */
	declare readonly utcCron: pulumi.Output<string | undefined>;
	/** Time of the daylight-saving change after which `utcCron` needs an update; undefined if there is none. */
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

	constructor(
		name: string,
		args: PipelineScheduleArgs,
		opts?: pulumi.CustomResourceOptions,
	) {
		super(DECLARATION, name, args, opts);
		if (pulumi.runtime.isDryRun() && opts?.id === undefined && opts?.urn === undefined)
			predictDescription(this);
	}
}

/**
 * The dynamic host is not asked for outputs in a preview, and the description follows from the inputs alone. Made on
 * demand, because few programs look at it.
 */
function predictDescription(schedule: PipelineSchedule): void {
	const get = () => {
		const { describeSchedule, usesSpread } =
			require("../cron") as typeof import("../cron");
		const { cronExpression, timeZone, startAfter, teamName, scheduleName } = schedule;
		// Team and name matter only to an expression with H, and may not be known yet.
		const place = cronExpression.apply((cron) =>
			usesSpread(cron ?? "")
				? pulumi.all({ teamName, scheduleName })
				: pulumi.output({}),
		);
		return pulumi
			.all([{ cronExpression, timeZone, startAfter }, place])
			.apply(([times, where]) => describeSchedule({ ...times, ...where }, Date.now()));
	};
	Object.defineProperty(schedule, "cronDescription", {
		get,
		enumerable: true,
		configurable: true,
	});
}
