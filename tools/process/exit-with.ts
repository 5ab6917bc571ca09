/** Ends the process with the code that the work comes to, 0 where it names none; with 1 where it fails. */
export function exitWith(work: Promise<unknown>): void {
	work.then(
		(code) => {
			process.exitCode = typeof code === "number" ? code : 0;
		},
		(error: unknown) => {
			console.error(error);
			process.exitCode = 1;
		},
	);
}
