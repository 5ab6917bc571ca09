import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "../repository";
import { packageSchema } from "./package-schema";

export const schemaFile = join(
	repository,
	"src",
	"provider",
	"hosts",
	"plugin",
	"schema.json",
);

/** The schema as it should be now, in the form in which the file has it. */
export function schemaText(): string {
	const manifest = JSON.parse(readFileSync(join(repository, "package.json"), "utf8"));
	return `${JSON.stringify(packageSchema(manifest), null, 2)}\n`;
}

if (require.main === module) writeFileSync(schemaFile, schemaText());
