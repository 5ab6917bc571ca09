import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { exitWith } from "../process/exit-with";
import { repository } from "../repository";
import { schemaFile } from "../schema/main";
import { generateSdk } from "./generate";

export const goSdk = join(repository, "sdk", "go");

/** `npm run sdk` writes the committed SDK for Go from the schema. Go asks a repository for sources, not a registry for packages. */
async function main(): Promise<number> {
	rmSync(join(goSdk, "datachain"), { recursive: true, force: true });
	await generateSdk("go", JSON.parse(readFileSync(schemaFile, "utf8")), goSdk);
	return 0;
}

if (require.main === module) exitWith(main());
