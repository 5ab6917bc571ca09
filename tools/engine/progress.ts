/** Says how far long work is: one moving line on a terminal, a line now and then anywhere else. */
export interface Progress {
	/** A new phase: always shown. */
	phase(text: string): void;
	/** How far the phase is: shown at a bearable rate. */
	update(text: string): void;
	/** A line that stays. */
	note(text: string): void;
	/** Clears the moving line. */
	end(): void;
}

const quietMs = 10_000;
const terminalMs = 100;

export function createProgress(stream: NodeJS.WriteStream = process.stderr): Progress {
	const terminal = stream.isTTY === true;
	let last = 0;
	let moving = false;
	const clear = () => {
		if (moving) stream.write("\r\u001b[2K");
		moving = false;
	};
	const note = (text: string) => {
		clear();
		stream.write(`${text}\n`);
		last = Date.now();
	};
	return {
		phase: note,
		note,
		update: (text) => {
			if (Date.now() - last < (terminal ? terminalMs : quietMs)) return;
			if (!terminal) return note(`  ${text}`);
			stream.write(`\r\u001b[2K  ${text.slice(0, Math.max(20, (stream.columns ?? 80) - 3))}`);
			moving = true;
			last = Date.now();
		},
		end: clear,
	};
}
