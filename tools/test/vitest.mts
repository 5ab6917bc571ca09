/** Whoever runs the tests may be logged in to the real service: no test shall find that login. */
export const env = {
	DATACHAIN_SYSTEM_CONFIG_DIR: "/nonexistent",
	DATACHAIN_GLOBAL_CONFIG_DIR: "/nonexistent",
};

/**
 * Makes an import of each module of ours that is required where it is first needed: Vitest compiles what is imported, and
 * Node would look for a JavaScript file.
 */
export const lazyModules = {
	name: "lazy-modules",
	enforce: "pre" as const,
	transform(code: string, id: string): string | undefined {
		if (!id.includes("/src/") || id.includes("/node_modules/")) return undefined;
		const imports: string[] = [];
		const text = code.replace(/\brequire\(("\.[^"]+")\)/g, (_, path: string) => {
			const name = `lazyModule${imports.length}`;
			imports.push(`import * as ${name} from ${path};`);
			return name;
		});
		// At the end, so that no line moves; an import is first wherever it stands.
		return imports.length > 0 ? `${text}\n${imports.join("\n")}\n` : undefined;
	},
};
