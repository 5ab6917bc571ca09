import { readState } from "../drift/state";
import { askPulumi, connectionSources, type PulumiOptions } from "./pulumi-cli";
import { progress } from "./terminal";

/** The stack's state, and where its service is. */
export async function readStack(options: PulumiOptions) {
	progress.show("Reading the stack's state…");
	const [text, sources] = await Promise.all([
		askPulumi(["stack", "export", "--show-secrets"], options),
		connectionSources(options),
	]);
	return { state: readState(text), sources };
}
