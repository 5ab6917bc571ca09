/** The narration of `npm start`: numbered steps, commands as typed, their output set off from ours. */
export interface Narrator {
	step(title: string): void;
	say(text: string): void;
	command(line: string): void;
	output(chunk: string): void;
	done(text: string): void;
	failed(text: string): void;
}

const codes = { bold: 1, dim: 2, red: 31, green: 32, cyan: 36 } as const;

export function createNarrator(stream: NodeJS.WriteStream = process.stdout, env = process.env): Narrator {
	const colour = stream.isTTY === true && !env.NO_COLOR;
	const paint = (style: keyof typeof codes, text: string) =>
		colour ? `\u001b[${codes[style]}m${text}\u001b[0m` : text;
	let steps = 0;
	let atLineStart = true;
	const line = (text: string) => {
		stream.write(`${atLineStart ? "" : "\n"}${text}\n`);
		atLineStart = true;
	};
	return {
		step: (title) => line(`\n${paint("bold", `${++steps}. ${title}`)}`),
		say: (text) => line(text.replace(/^(?=.)/gm, "   ")),
		command: (text) => line(`   ${paint("cyan", `$ ${text}`)}`),
		output: (chunk) => {
			for (const piece of chunk.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
				// Empty lines would only stretch the page.
				if (atLineStart && piece === "\n") continue;
				stream.write(`${atLineStart ? paint("dim", "   │ ") : ""}${piece}`);
				atLineStart = piece.endsWith("\n");
			}
		},
		done: (text) => line(`   ${paint("green", "✓")} ${text}`),
		failed: (text) => line(`\n${paint("red", "✗")} ${text}`),
	};
}
