/** Reads NAME=VALUE lines as the service does: lines that start with # are skipped. */
export function parseEnvironment(text: string): Record<string, string> {
	const lines = text.split(/\r?\n/).filter((line) => line.includes("=") && !line.trimStart().startsWith("#"));
	return Object.fromEntries(
		lines.map((line) => {
			const at = line.indexOf("=");
			return [line.slice(0, at).trim(), line.slice(at + 1)];
		}),
	);
}
