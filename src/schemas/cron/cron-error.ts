/** A cron expression that cannot be used. `reason` reads on from "because". */
export class CronError extends Error {
	override readonly name: string = "CronError";

	constructor(
		readonly expression: string,
		readonly reason: string,
	) {
		super(`The cron expression "${expression}" cannot be used: ${reason}.`);
	}
}

/** An expression that schedulers read in different ways. `spellings` say each of them plainly, where that can be written. */
export class AmbiguousCronError extends CronError {
	override readonly name = "AmbiguousCronError";

	constructor(
		expression: string,
		readonly spellings: readonly string[],
	) {
		const written = spellings.map((spelling) => `"${spelling}"`).join(" or ");
		const rest = spellings.length === 1 ? " for one of them; the others do not fit into one expression" : "";
		super(expression, `schedulers read it in different ways: write ${written}${rest}`);
	}
}
