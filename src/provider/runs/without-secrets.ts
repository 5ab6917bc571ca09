import { needlesFor } from "../../api/redaction/needles";
import { takeOut } from "../../api/redaction/take-out";
import { withoutUrlCredentials } from "../../schemas/url-credentials";
import type { Call } from "../context";
import type { Props } from "../handler";
import { valueAt } from "../shared/secrets";

const LONGEST_LINE = 2_000;

export type Clean = (text: string) => string;

/** What a job writes may repeat the secrets it was given; its lines are shown without them, and fit for a terminal. */
export function withoutSecrets({ secrets }: Pick<Call, "secrets">, inputs: Props): Clean {
	const texts = new Set(secrets.flatMap((path) => textsIn(valueAt(inputs, path))));
	const needles = [...texts].flatMap(needlesFor);
	return (text) => oneLine(withoutUrlCredentials(takeOut(text, needles)));
}

/** Its indentation stays, because tracebacks mean something by it. */
function oneLine(text: string): string {
	const line = text
		.replaceAll("\t", "    ")
		.replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]+/gu, " ")
		.trimEnd();
	return line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE).replace(/\p{Cs}$/u, "")}…` : line;
}

function textsIn(value: unknown): string[] {
	if (typeof value === "string") return [value, ...value.split(/\r?\n/).map((line) => line.trim())];
	if (typeof value !== "object" || value === null) return [];
	return Object.values(value).flatMap(textsIn);
}
