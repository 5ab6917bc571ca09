/** A documented rule that one parameter's type cannot express. */
export interface Rule<P = Readonly<Record<string, unknown>>> {
	/** What is wrong, in a few words; names the rule's test. */
	readonly name: string;
	/** The parameter at fault. */
	readonly parameter: keyof P & string;
	/** Other parameters that decide. The rule waits while one of them, or the one at fault, is not known yet. */
	readonly needs?: readonly (keyof P & string)[];
	/**
	 * True of the environment alone: a `client_config` in code does reach the filesystem in these points.
	 */
	readonly environmentOnly?: true;
	// A method, so that a table of rules for one storage is also a table of rules for any.
	broken(parameters: P): boolean;
	/** Why it is wrong and what to do. Holds names of parameters, never values. */
	message: string | ((parameters: P) => string);
}

export const given = <P, Name extends keyof P & string>(parameters: P, ...names: Name[]): Name[] =>
	names.filter((name) => parameters[name] !== undefined && parameters[name] !== null);

/** Settings that the library in the job overrides with its own. */
export const noEffect = <P>(parameter: keyof P & string, why: string): Rule<P> => ({
	name: `${parameter} has no effect in a job`,
	parameter,
	environmentOnly: true,
	broken: (p) => p[parameter] !== undefined,
	message: `has no effect in a job: ${why}. To set it, pass client_config in the script.`,
});

/** `path` says whether one may follow the host. */
export const urlRule = <P>(
	parameter: keyof P & string,
	{ path, expected }: { readonly path: boolean; readonly expected: string },
): Rule<P> => ({
	name: `${parameter} is not an endpoint`,
	parameter,
	broken: (p) => typeof p[parameter] === "string" && !isEndpoint(p[parameter], path),
	message: `must be ${expected}, without user name, password, query or fragment.`,
});

function isEndpoint(value: string, path: boolean): boolean {
	const rest = /^https?:\/\/([^/?#\\\s@]+)(\/[^?#\\\s]*)?$/i.exec(value);
	return rest !== null && URL.canParse(value) && (path || rest[2] === undefined);
}
