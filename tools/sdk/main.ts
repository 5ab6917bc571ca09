import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ensureHost } from "../engine/hosts";
import { exitWith } from "../process/exit-with";
import { must } from "../process/must";
import { tempFolder } from "../process/temp-folder";
import { repository } from "../repository";
import { schemaFile } from "../schema/main";

export const goSdk = join(repository, "sdk", "go");

/** The language's SDK as the schema says, into this folder. */
export async function generateSdk(
	language: "python" | "go",
	schema: object,
	folder: string,
): Promise<void> {
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

/** `npm run sdk` writes the committed SDK for Go from the schema. Go asks a repository for sources, not a registry for packages. */
async function main(): Promise<void> {
	rmSync(join(goSdk, "datachain"), { recursive: true, force: true });
	await generateSdk("go", JSON.parse(readFileSync(schemaFile, "utf8")), goSdk);
}

if (require.main === module) exitWith(main());
