import { CronError, cronHint, parseCron } from "./cron";
import { spreadCron } from "./cron/spread";
import { isTimeZone, suggestTimeZones } from "./time-zone";

/** Why an expression cannot be declared, with what was probably meant; undefined where it can. */
export function cronProblem(text: string, now: Date): string | undefined {
	try {
		// Whether it can be read does not depend on whose it is.
		parseCron(spreadCron(text, { team: "", name: "" }));
		return undefined;
	} catch (error) {
		if (!(error instanceof CronError)) throw error;
		return error.message + cronHint(text, now);
	}
}

export function timeZoneProblem(text: string): string | undefined {
	if (isTimeZone(text)) return undefined;
	const meant = suggestTimeZones(text).map((zone) => `"${zone}"`);
	const hint = meant.length > 0 ? ` Did you mean ${meant.join(" or ")}?` : "";
	return `there is no time zone of that name: write it as the IANA database does, such as "Europe/Berlin".${hint}`;
}
