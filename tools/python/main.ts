import { join } from "node:path";
import { repository } from "../repository";
import { buildWheel } from "./wheel";

/** `npm run wheel` builds the Python package into dist-python; it needs Python 3 with pip, and Go for the generator. */
buildWheel("python3", join(repository, "dist-python")).then(
	(wheel) => console.log(wheel),
	(error: unknown) => {
		console.error(error);
		process.exitCode = 1;
	},
);
