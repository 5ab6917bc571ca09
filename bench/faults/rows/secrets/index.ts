import { SECRET_PARAMETERS } from "../../../../src/schemas/storage";
import { all, type Figure, none, type Row, type RowContext, type RowResult } from "../../row";
import { Canaries } from "./canaries";
import { searchMessages } from "./messages";
import { Findings, PLACES } from "./places";
import { liveWithCanaries } from "./stages";

export const secrets: Row = {
	number: 6,
	name: "secrets",
	async run(context: RowContext): Promise<RowResult> {
		const canaries = new Canaries(context.random.fork("secrets"));
		const findings = new Findings(canaries);
		const silent = await searchMessages(canaries, findings);
		const { problems, encrypted } = await liveWithCanaries(canaries, findings, context);
		const credentials = Object.values(SECRET_PARAMETERS).flat().length;
		const searched = PLACES.reduce((sum, place) => sum + findings.kilobytes(place), 0);
		return {
			load: `${canaries.all.length} canaries (${credentials} storage credentials among them), ${(searched / 1024).toFixed(0)} MB searched`,
			figures: [
				...PLACES.map((place) => clear(findings, place)),
				reached(canaries, encrypted),
				none("steps that did not go as planned", [
					...problems,
					...silent.map((name) => `no error from ${name}`),
				]),
			],
		};
	},
};

/** A place in which nothing was searched has no figure to show. */
function clear(findings: Findings, place: (typeof PLACES)[number]): Figure {
	const figure = none(`canaries in clear: ${place}`, findings.at(place));
	if (findings.kilobytes(place) > 0) return figure;
	return { ...figure, reached: "nothing searched", ok: false };
}

/** The canaries of the second deployment, and what was there before the first, are in the state: encrypted. */
function reached(canaries: Canaries, encrypted: ReadonlySet<string>): Figure {
	const wanted = canaries.all.map(({ field }) => field).filter((field) => /^(second|before) /.test(field));
	const missing = wanted.filter((field) => !encrypted.has(field));
	return all("canaries in the state, encrypted", wanted.length - missing.length, wanted.length, missing);
}
