import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { findIn, pathFolders } from "../../tools/engine/environment";
import { tempFolder } from "../../tools/process/temp-folder";
import { schemaFile } from "../../tools/schema/main";
import { generateSdk, goSdk } from "../../tools/sdk/main";

const withGo = it.skipIf(findIn(pathFolders(process.env), "go") === undefined);

const filesOf = (folder: string): Record<string, string> =>
	Object.fromEntries(
		readdirSync(folder, { recursive: true, encoding: "utf8" })
			.filter((name) => /\.(go|json)$/.test(name))
			.map((name) => [name, readFileSync(join(folder, name), "utf8")]),
	);

withGo("the SDK for Go is what `npm run sdk` writes", async () => {
	const folder = tempFolder("pulumi-datachain-go-");
	onTestFinished(() => folder.remove());
	await generateSdk("go", JSON.parse(readFileSync(schemaFile, "utf8")), folder.path);
	expect(filesOf(join(goSdk, "datachain"))).toEqual(
		filesOf(join(folder.path, "datachain")),
	);
});
