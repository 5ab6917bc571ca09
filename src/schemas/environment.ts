/**
 * Environment variables travel to the service as one string of NAME=VALUE lines, and come back as a map.
 * A newline inside a value would therefore add a variable nobody declared; it is refused, never escaped,
 * because the service has no escape for it.
 */
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Why a variable cannot be sent, without its value; undefined where it can. */
export function environmentProblem(name: string, value: string): string | undefined {
	if (!NAME.test(name)) {
		return `${JSON.stringify(name)} is not a variable name: use letters, digits and _, not starting with a digit`;
	}
	if (/[\n\r\0]/.test(value)) {
		return `the value of ${name} has a line break or a NUL, and the service takes one line per variable`;
	}
	return undefined;
}

/** Lines sorted by name, so that the same map always gives the same text. Throws on what `environmentProblem` names. */
export function renderEnvironment(variables: Readonly<Record<string, string>>): string {
	return Object.keys(variables)
		.sort()
		.map((name) => {
			const value = variables[name] ?? "";
			const problem = environmentProblem(name, value);
			if (problem !== undefined) throw new TypeError(`Environment: ${problem}.`);
			return `${name}=${value}`;
		})
		.join("\n");
}

/** Reads NAME=VALUE lines; blank lines and lines starting with # are skipped, later lines win. */
export function parseEnvironment(text: string): Record<string, string> {
	const variables: Record<string, string> = {};
	for (const [index, line] of text.split(/\r?\n/).entries()) {
		if (line.trim() === "" || line.trimStart().startsWith("#")) continue;
		const at = line.indexOf("=");
		const name = line.slice(0, at).trim();
		// The text is not shown: a line without a name is often the rest of a secret that spans several.
		if (at < 1 || !NAME.test(name)) {
			throw new TypeError(`Environment: line ${index + 1} does not have the form NAME=VALUE.`);
		}
		const value = line.slice(at + 1);
		const problem = environmentProblem(name, value);
		if (problem !== undefined) throw new TypeError(`Environment: ${problem}.`);
		// A plain object would lose `__proto__`, which is a legal variable name.
		Object.defineProperty(variables, name, {
			value,
			enumerable: true,
			configurable: true,
			writable: true,
		});
	}
	return variables;
}
