import { rmSync } from "node:fs";
import { join } from "node:path";
import { repository } from "../repository";
import { buildWheel } from "./wheel";

/** `npm run wheel` builds the Python package into dist-python; it needs Python 3 with pip, and Go for the generator. */
const target = join(repository, "dist-python");
// Wheels of other versions would be taken for the one that is built now.
rmSync(target, { recursive: true, force: true });
buildWheel("python3", target).then(
	(wheel) => console.log(wheel),
	(error: unknown) => {
		console.error(error);
		process.exitCode = 1;
	},
);
