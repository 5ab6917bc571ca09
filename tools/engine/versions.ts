/** The engine that we build or install; go/cli/go.mod pins the same one. */
export const engineVersion = "3.259.0";

/** Its Node.js language host, a module of its own; go/language-nodejs/go.mod pins the same one. */
export const languageHostVersion = "3.68.0";

/** The YAML language host; go/language-yaml/go.mod pins the same one. */
export const yamlHostVersion = "1.38.1";

/** The Go language host, of the last SDK that has it in its own module; go/language-go/go.mod pins the same one. */
export const goHostVersion = "3.60.0";

/** The Java language host, which generates the SDK as well; go/language-java/go.mod pins the same one. */
export const javaHostVersion = "1.22.0";

/** Checks our workflows; go/actionlint/go.mod pins the same one. */
export const actionlintVersion = "1.7.12";

/** The oldest CLI on PATH that we take: the first whose SDK passes `inputs` from read, which drift needs. */
export const minimumVersion = "3.216.0";

export function isAtLeast(version: string, minimum: string): boolean {
	const [actual, wanted] = [numbers(version), numbers(minimum)];
	for (const [index, part] of wanted.entries()) {
		const difference = (actual[index] ?? 0) - part;
		if (difference !== 0) return difference > 0;
	}
	return true;
}

/** `v3.259.0-dev.1+x` → `3.259.0`; undefined where the text is no version. */
export function parseVersion(text: string): string | undefined {
	return /^v?(\d+\.\d+\.\d+)/m.exec(text.trim())?.[1];
}

function numbers(version: string): number[] {
	return version.split(".").map(Number);
}
