import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { ensureHost } from "../engine/hosts";
import { must } from "../process/must";
import { tempFolder } from "../process/temp-folder";

export type SdkLanguage = "python" | "go";

/** The language's SDK as the schema says, into this folder. */
export async function generateSdk(language: SdkLanguage, schema: object, folder: string): Promise<void> {
	const generator = join(await ensureHost("generator"), "sdk-gen");
	const work = tempFolder("pulumi-datachain-schema-");
	try {
		const file = join(work.path, "schema.json");
		writeFileSync(file, JSON.stringify(schema));
		await must(generator, [language, file, folder]);
	} finally {
		work.remove();
	}
}
