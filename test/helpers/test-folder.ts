import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { tempFolder } from "../../tools/process/temp-folder";

/** The path of an empty folder that goes with the test. */
export function testFolder(prefix: string): string {
	const { path, remove } = tempFolder(prefix);
	onTestFinished(() => remove());
	return path;
}

/** The path of a file in such a folder of its own. */
export function testFile(name: string, content: string | Buffer): string {
	const path = join(testFolder("file-"), name);
	writeFileSync(path, content);
	return path;
}
