import { onTestFinished } from "vitest";
import { tempFolder } from "../../tools/process/temp-folder";

/** The path of an empty folder that goes with the test. */
export function testFolder(prefix: string): string {
	const { path, remove } = tempFolder(prefix);
	onTestFinished(() => remove());
	return path;
}
