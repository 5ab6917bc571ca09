import { expect, test } from "vitest";
import { KeptServer } from "../../../src/commands/serve";
import { tempFolder } from "../../../tools/process/temp-folder";

test("if no server runs with the folder, the error says how to start one", async () => {
	const folder = tempFolder("kept server-");
	try {
		await expect(new KeptServer(folder.path).running(0)).rejects.toThrow(
			`No server runs with --keep "${folder.path}". Start it: pulumi-datachain serve --keep '${folder.path}'`,
		);
	} finally {
		folder.remove();
	}
});
