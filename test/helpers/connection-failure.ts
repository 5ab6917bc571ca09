import { ConnectionError } from "../../src/api";

/** How settings are refused; fails where they are not. */
export function connectionFailure(run: () => unknown): ConnectionError {
	try {
		run();
	} catch (error) {
		if (error instanceof ConnectionError) return error;
		throw error;
	}
	throw new Error("nothing was refused");
}
