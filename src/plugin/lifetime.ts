/** How often the process looks whether whoever started it is still there. */
const LOOK_MILLIS = 1_000;

/**
 * When the plugin's process ends. The engine sends a cancel and an interrupt at every normal end, and at Ctrl-C; an
 * operation that is under way then is let come to its end, because what it made must reach the state.
 */
export class Lifetime {
	private underWay = 0;
	private isEnding = false;

	constructor(private readonly exit: () => void) {
		const parent = process.ppid;
		for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => this.end());
		// An engine that was killed sends nothing.
		setInterval(() => {
			if (process.ppid !== parent) this.end();
		}, LOOK_MILLIS).unref();
	}

	async during<T>(work: () => Promise<T>): Promise<T> {
		this.underWay += 1;
		try {
			return await work();
		} finally {
			this.underWay -= 1;
			// The answer is sent in this turn of the loop; the process may go after it.
			if (this.isEnding) setTimeout(() => this.leaveIfIdle(), 50);
		}
	}

	private end(): void {
		this.isEnding = true;
		this.leaveIfIdle();
	}

	private leaveIfIdle(): void {
		if (this.underWay === 0) this.exit();
	}
}
