import { beforeAll, test } from "vitest";
import { nameOf, oldest } from "../../tools/matrix/cells";
import { runCell } from "../../tools/matrix/run-cell";
import { packTarball, type Tarball } from "../../tools/pack/tarball";
import { tempFolder } from "../../tools/process/temp-folder";

let tarball: Tarball;
beforeAll(async () => {
	tarball = await packTarball(tempFolder("packed-"));
});

/** Every other combination, on the engine as well, is `npm run test:matrix`; the installed commands deploy in e2e. */
test(`a program with every class is installed, compiled and run: ${nameOf(oldest)}`, () =>
	runCell(oldest, tarball.file));
