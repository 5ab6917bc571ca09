import { afterAll, beforeAll, test } from "vitest";
import { diagonal, nameOf } from "../../tools/matrix/cells";
import { runCell } from "../../tools/matrix/run-cell";
import { packTarball, type Tarball } from "../../tools/pack/tarball";
import { type TempFolder, tempFolder } from "../../tools/process/temp-folder";

let folder: TempFolder;
let tarball: Tarball;
beforeAll(async () => {
	folder = tempFolder("packed-");
	tarball = await packTarball(folder);
});
afterAll(() => folder?.remove());

/** Every combination, on the engine as well, is `npm run test:matrix`; the installed commands deploy in e2e. */
test.concurrent.each(diagonal.map((cell) => [nameOf(cell), cell] as const))(
	"a program with every class is installed, compiled and run: %s",
	(_, cell) => runCell(cell, tarball.file),
);
