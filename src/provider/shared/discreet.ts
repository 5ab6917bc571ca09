import { type Needle, needlesForName } from "../../api/redaction/needles";
import { takeOut } from "../../api/redaction/take-out";
import type { Call } from "../context";
import type { Props, ResourceHandler } from "../handler";
import { valueAt } from "./secrets";

type Operation<Args extends unknown[], T> = (call: Call, ...args: Args) => Promise<T>;

/**
 * The handler, with messages that do not repeat what is secret in the program. A message names what it is about, the engine
 * prints it, and the state keeps that of a failure in clear.
 */
export function discreet(handler: ResourceHandler): ResourceHandler {
	const cleaner = ({ secrets }: Call, args: readonly unknown[]) => {
		const paths = secrets.filter((path) => handler.fields[path.replace(/\..*/, "")]?.hidden === undefined);
		// Nearly every operation ends without a message.
		return (text: string): string => takeOut(text, needlesAt(paths, args));
	};
	const quiet =
		<Args extends unknown[], T>(operation: Operation<Args, T>): Operation<Args, T> =>
		async (call, ...args) => {
			if (call.secrets.length === 0) return operation(call, ...args);
			const clean = cleaner(call, args);
			const notice = (text: string) => call.notice(clean(text));
			const line = (text: string) => call.line(clean(text));
			try {
				return await operation({ ...call, notice, line }, ...args);
			} catch (error) {
				if (error instanceof Error) {
					error.stack = clean(String(error.stack));
					error.message = clean(error.message);
				}
				throw error;
			}
		};
	return {
		fields: handler.fields,
		check: quiet(async (call, olds, news) => {
			const clean = cleaner(call, [olds, news]);
			const { inputs, problems } = await handler.check(call, olds, news);
			return { inputs, problems: problems.map(({ field, reason }) => ({ field, reason: clean(reason) })) };
		}),
		diff: quiet(handler.diff),
		create: quiet(handler.create),
		read: quiet(handler.read),
		update: quiet(handler.update),
		delete: quiet(handler.delete),
	};
}

function needlesAt(paths: readonly string[], args: readonly unknown[]): Needle[] {
	const values = args.flatMap((props) => paths.map((path) => valueAt(props as Props, path)));
	return [...new Set(values.flat().filter((value) => typeof value === "string"))].flatMap(needlesForName);
}
