import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { engines } from "../../package.json";
import { repository } from "../repository";
import { schemaFile } from "../schema/main";
import { indexPage, lookupsPage } from "./parts";
import { registryIndex, registryInstallation } from "./registry";
import { storagePage } from "./storage";

/** The pages under docs that are written from the sources, or parts of which are, as they should be now. */
export function generatedPages(): Readonly<Record<string, string>> {
	const schema = JSON.parse(readFileSync(schemaFile, "utf8"));
	return {
		"_index.md": registryIndex(),
		"installation-configuration.md": registryInstallation({
			settings: schema.config.variables,
			node: engines.node,
			python: schema.language.python.pythonRequires,
		}),
		"storage-parameters.md": storagePage(schema.types),
		"README.md": indexPage(),
		"lookups.md": lookupsPage(schema.functions),
	};
}

if (require.main === module)
	for (const [name, text] of Object.entries(generatedPages()))
		writeFileSync(join(repository, "docs", name), text);
