import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Progress } from "../../tools/engine/progress";

/** Writes a shell script that runs whatever PATH its caller has, and makes its folder. */
export function writeScript(file: string, body: string): string {
	mkdirSync(join(file, ".."), { recursive: true });
	writeFileSync(file, `#!/bin/sh\nPATH=/usr/bin:/bin\n${body}\n`);
	chmodSync(file, 0o755);
	return file;
}

/** A folder with a `pulumi` that answers with this version, and a language host beside it. */
export function writeFakeCli(folder: string, version: string): string {
	writeScript(join(folder, "pulumi-language-nodejs"), "exit 0");
	return writeScript(join(folder, "pulumi"), `[ "$1" = version ] && echo ${version}`);
}

/**
 * A `go` that acts the three commands of the build: it "compiles" a pulumi answering with `version`, counts its
 * builds in `log`, and takes `seconds` for each.
 */
export function writeFakeGo(
	folder: string,
	options: { version: string; log: string; seconds?: number },
): void {
	const modules = join(folder, "sdk");
	mkdirSync(join(modules, "nodejs", "dist"), { recursive: true });
	writeFileSync(join(modules, "nodejs", "dist", "pulumi-resource-pulumi-nodejs"), "#!/bin/sh\n");
	writeScript(
		join(folder, "go"),
		`
case "$1 $3" in
  "list -m") echo '${modules}' ;;
  "list -deps") echo one; echo two ;;
  build*)
    echo $$ > '${options.log}.pid'
    echo build >> '${options.log}'
    sleep ${options.seconds ?? 0}
    while [ "$1" != -o ]; do shift; done
    printf '#!/bin/sh\\necho ${options.version}\\n' > "$2"
    chmod +x "$2" ;;
esac`,
	);
}

/** Collects what would be shown. */
export function recordedProgress(): Progress & { readonly lines: string[] } {
	const lines: string[] = [];
	const add = (text: string) => {
		lines.push(text);
	};
	return { lines, phase: add, update: add, note: add, end: () => {} };
}
