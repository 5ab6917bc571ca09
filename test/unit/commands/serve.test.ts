import { expect, test } from "vitest";
import { KeptServer } from "../../../src/commands/serve";
import { testFolder } from "../../helpers/test-folder";

test("if no server runs with the folder, the error says how to start one", async () => {
	const folder = testFolder("kept server-");
	await expect(new KeptServer(folder).running(0)).rejects.toThrow(
		`No server runs with --keep "${folder}". Start it: pulumi-datachain serve --keep '${folder}'`,
	);
});
