import { ensureEngine } from "../../tools/engine";

/** Run as a process of its own: makes an engine as if offline, with what the environment offers. */
ensureEngine({
	install: async () => {
		throw new Error("offline");
	},
}).then(
	({ source }) => console.log(source),
	(error: unknown) => {
		console.error(error);
		process.exitCode = 1;
	},
);
