/** A cron expression that cannot be used. `reason` reads on from "because". */
export class CronError extends Error {
	override readonly name = "CronError";

	constructor(
		readonly expression: string,
		readonly reason: string,
	) {
		super(`The cron expression "${expression}" cannot be used: ${reason}.`);
	}
}
