/** Ends the process with the code that the work comes to; with 1 where it fails. */
export function exitWith(work: Promise<number>): void {
	work.then(
		(code) => {
			process.exitCode = code;
		},
		(error: unknown) => {
			console.error(error);
			process.exitCode = 1;
		},
	);
}
