import { outputTexts } from "../../text/output-text";
import { type Problem, type Props, problem, UNKNOWN } from "./props";
import { isKept } from "./table";

/** The inputs that hold the error text of an Output. What the state has already is passed on as it is, as elsewhere. */
const affected = (olds: Props, news: Props): string[] =>
	Object.keys(news).filter(
		(field) =>
			!isKept(olds[field], news[field]) && outputTexts(news[field], field).length > 0,
	);

export const refuseOutputTexts = (olds: Props, news: Props): Problem[] =>
	affected(olds, news).flatMap((field) =>
		outputTexts(news[field], field).map(({ path, reason }) => ({
			field,
			reason: problem(path, reason).reason,
		})),
	);

/** The inputs without them, for the other checks: what such a string was meant to be is not known. */
export const withoutOutputTexts = (olds: Props, news: Props): Props => ({
	...news,
	...Object.fromEntries(affected(olds, news).map((field) => [field, UNKNOWN])),
});
