import type { ConnectionSettings } from "../../client";
import type { JobRequest } from "../../operations/start-job";
import type { Kind } from "../../schemas/kinds";
import type { Props } from "../model/props";
import { type Call, createContext } from "../run/context";
import { handlerOf, hosted } from "./hosting";

/** A command that starts what a program could declare. */
interface Command {
	readonly connection: ConnectionSettings;
	readonly interrupt: AbortSignal;
	notice(text: string): void;
}

/** No resource of a program. Its name appears in no message. */
const NO_RESOURCE = { urn: "command", stateUrn: undefined, preview: false } as const;

/** What a command's options make of a Job, checked as a deployment checks it; nothing is written. */
export const checkedJob = (command: Command, given: Props): Promise<JobRequest> =>
	// What a job runs with may hold secrets, and no message repeats them.
	withCall(command, ["environment"], async (call) => {
		const inputs = await checkedInputs(call, "Job", given);
		const { jobRequest } =
			require("../kinds/job/start") as typeof import("../kinds/job/start");
		const { queryText } =
			require("../kinds/job/query") as typeof import("../kinds/job/query");
		return jobRequest(inputs, await queryText(inputs));
	});

/** The datasets of a Pipeline that a command triggers, checked in the same way. */
export const checkPipeline = (command: Command, given: Props): Promise<Props> =>
	withCall(command, [], (call) => checkedInputs(call, "Pipeline", given));

async function withCall<T>(
	{ connection, interrupt, notice }: Command,
	secrets: readonly string[],
	work: (call: Call) => Promise<T>,
): Promise<T> {
	const context = createContext({ explicit: connection }, notice, { interrupt });
	try {
		return await work({
			...context,
			...NO_RESOURCE,
			secrets,
			secretsBefore: [],
			secretsMoved: false,
		});
	} finally {
		await context.client.close();
	}
}

async function checkedInputs(call: Call, kind: Kind, given: Props): Promise<Props> {
	const { inputs, problems } = await hosted(handlerOf(kind)).check(call, {}, given);
	// The input that a program would add has no option in a command.
	const unclear = `The name "${given.file}" does not say what it is. Rename it: .py for Python, .sh or .bash for a shell script.`;
	const reasons = problems.map(({ field, reason }) =>
		field === "queryType" ? unclear : reason,
	);
	if (reasons.length > 0) throw new Error(reasons.join("\n"));
	return inputs;
}
