import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { expect, onTestFinished, test } from "vitest";
import { resolveConnection } from "../../../src/api";
import { define, KeptServer } from "../../../src/commands/serve";
import { startServer } from "../../../src/server";
import { testFolder } from "../../helpers/test-folder";

test("if no server runs with the folder, the error says how to start one", async () => {
	const folder = testFolder("kept server-");
	await expect(new KeptServer(folder).running(0)).rejects.toThrow(
		`No server runs with --keep "${folder}". Start it: pulumi-datachain serve --keep '${folder}'`,
	);
});

test("--keep in a folder with files of others hides none of them from git, and leaves their .gitignore alone", () => {
	const [fresh, used] = [testFolder("kept-"), testFolder("kept-")];
	writeFileSync(join(used, ".gitignore"), "node_modules\n");
	for (const folder of [fresh, used]) new KeptServer(folder).prepare();
	expect(readFileSync(join(used, ".gitignore"), "utf8")).toBe("node_modules\n");
	expect(readFileSync(join(fresh, ".gitignore"), "utf8")).toBe(
		"/.gitignore\n/connection.json*\n/team.json*\n",
	);
});

test("a server that cannot keep its settings ends, and says which folder it could not use", async () => {
	const folder = testFolder("kept-");
	// The file is written beside its place first; a folder there fails as a full disk does.
	mkdirSync(join(folder, `connection.json.${process.pid}`));
	await expect(define(new Command("serve")).parseAsync(["--keep", folder], { from: "user" })).rejects.toThrow(
		`The folder "${folder}" cannot be used (EISDIR). Choose another with --keep.`,
	);
});

test("a server that listens on every address prints one that the commands accept", async () => {
	const server = await startServer({ host: "0.0.0.0" });
	onTestFinished(() => server.close());
	expect(resolveConnection({ env: server.environment }).baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api$/);
	expect((await fetch(`${server.url}/api/openapi.json`)).status).toBe(200);
});
