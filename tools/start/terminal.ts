import { styleText } from "node:util";

/** The narration of `npm start`: numbered steps, commands as typed, their output set off from ours. */
export interface Narrator {
	step(title: string): void;
	say(text: string): void;
	command(line: string): void;
	output(chunk: string): void;
	done(text: string): void;
	failed(text: string): void;
}

export function createNarrator(): Narrator {
	const isColored = process.stdout.isTTY && !process.env.NO_COLOR;
	const inColor = (style: "bold" | "cyan" | "dim" | "green" | "red", text: string) =>
		isColored ? styleText(style, text, { validateStream: false }) : text;
	let steps = 0;
	let atLineStart = true;
	const line = (text: string) => {
		process.stdout.write(`${atLineStart ? "" : "\n"}${text}\n`);
		atLineStart = true;
	};
	return {
		step: (title) => line(`\n${inColor("bold", `${++steps}. ${title}`)}`),
		say: (text) => line(text.replace(/^(?=.)/gm, "   ")),
		command: (text) => line(`   ${inColor("cyan", `$ ${text}`)}`),
		output: (chunk) => {
			for (const piece of chunk.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
				// Empty lines would only stretch the page.
				if (atLineStart && piece === "\n") continue;
				process.stdout.write(`${atLineStart ? inColor("dim", "   │ ") : ""}${piece}`);
				atLineStart = piece.endsWith("\n");
			}
		},
		done: (text) => line(`   ${inColor("green", "✓")} ${text}`),
		failed: (text) => line(`\n${inColor("red", "✗")} ${text}`),
	};
}
