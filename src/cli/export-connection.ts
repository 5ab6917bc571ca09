import { ConnectionError, type ConnectionSettings, resolveConnection } from "../api";
import { connectionSources } from "./pulumi-cli";

/**
 * The environment, then the config of the stack that is selected in this folder. Most exports start where there is no
 * Pulumi project yet, so that the environment's own error is the one to show where the config cannot be read.
 */
export async function exportConnection(
	teamName: string | undefined,
	signal: AbortSignal,
): Promise<ConnectionSettings> {
	const explicit = { teamName };
	try {
		return resolveConnection({ explicit });
	} catch (error) {
		if (!(error instanceof ConnectionError)) throw error;
		const sources = await connectionSources({ signal }).catch((failure: Error) => {
			signal.throwIfAborted();
			throw new ConnectionError(
				`${error.message} The config of a Pulumi stack could not be read either: ${failure.message}`,
				error.settings,
			);
		});
		return resolveConnection({ explicit, ...sources });
	}
}
