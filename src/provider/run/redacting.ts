import { needlesForName, redact, withRedacted } from "../../client/redaction";
import { visible } from "../../text/wording";
import { FOREIGN_VALUE, isForeign } from "../model/foreign-values";
import { type Problem, type Props, problem } from "../model/props";
import { namesIn, secretsUntilDone, textsIn, valueAt } from "../model/secrets";
import type { AnyTable } from "../model/table";
import type { Call } from "./context";

/**
 * A function that makes texts fit to print: it redacts the secret inputs, because the engine prints messages and the state
 * keeps the message of a failure in plain text, and spells out what would steer a terminal, because messages quote what
 * other users wrote. Of hidden fields only the service speaks, see `redacting`.
 */
export function redactorOf(
	fields: AnyTable,
	call: Pick<Call, "secrets" | "secretsBefore" | "secretNames">,
	args: readonly unknown[],
): (text: string) => string {
	const paths = secretsUntilDone(call).filter(
		(path) => fields[path.replace(/\..*/, "")]?.hidden === undefined,
	);
	const values = args
		.flatMap((props) => paths.map((path) => valueAt(props, path)))
		.flat();
	call.secretNames.add(values.flatMap(namesIn));
	// A message about a range names the number.
	const numbers = values
		.filter((value) => typeof value === "number")
		.map((value) => `not ${value}`);
	return (text) =>
		visible(redact(call.secretNames.redact(text), numbers.flatMap(needlesForName)));
}

/**
 * Runs an operation whose notices, lines and errors are redacted, and what the service says in them: it may repeat a
 * secret that it was sent by an earlier request, and may quote one line of several.
 */
export async function redacting<T>(
	call: Call,
	args: readonly unknown[],
	redact: (text: string) => string,
	work: (call: Call) => Promise<T>,
): Promise<T> {
	const paths = secretsUntilDone(call);
	const secrets = () =>
		args.flatMap((props) => paths.flatMap((path) => textsIn(valueAt(props, path))));
	const notice = (text: string) => call.notice(redact(text));
	const line = (text: string) => call.line(redact(text));
	const client = call.client.scoped({ secrets });
	try {
		return await work({ ...call, client, notice, line });
	} catch (error) {
		throw withRedacted(error, redact);
	}
}

/**
 * Refuses placeholders that do not come from the state, because no request would carry them. A field whose changes have no
 * effect is never read back, so any text may stand in it.
 */
export function refusePlaceholders(
	call: Call,
	fields: AnyTable,
	olds: Props,
	news: Props,
): Problem[] {
	// The second check of a replacement has no olds; the first one has accepted what came from the state.
	const accepted =
		Object.keys(olds).length > 0 ? olds : (call.declared.get(call.urn) ?? {});
	return Object.entries(fields)
		.filter(([, { change }]) => change !== "none")
		.flatMap(([field]) =>
			placeholderProblems(field, field, news[field], accepted[field]),
		);
}

function placeholderProblems(
	field: string,
	path: string,
	value: unknown,
	accepted: unknown,
): Problem[] {
	if (typeof value === "object" && value !== null) {
		return Object.entries(value).flatMap(([key, item]) =>
			placeholderProblems(
				field,
				`${path}.${key}`,
				item,
				(Object(accepted) as Props)[key],
			),
		);
	}
	if (!isForeign(value) || value === accepted) return [];
	const text =
		`"${FOREIGN_VALUE}" stands for a value that other users set, so it is never sent. ` +
		`Declare the value itself, leave ${path} out, or list it in ignoreChanges.`;
	return [{ field, reason: problem(path, text).reason }];
}
