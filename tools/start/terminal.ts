import { createColors } from "picocolors";

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
	const { bold, dim, red, green, cyan } = createColors(process.stdout.isTTY && !process.env.NO_COLOR);
	let steps = 0;
	let atLineStart = true;
	const line = (text: string) => {
		process.stdout.write(`${atLineStart ? "" : "\n"}${text}\n`);
		atLineStart = true;
	};
	return {
		step: (title) => line(`\n${bold(`${++steps}. ${title}`)}`),
		say: (text) => line(text.replace(/^(?=.)/gm, "   ")),
		command: (text) => line(`   ${cyan(`$ ${text}`)}`),
		output: (chunk) => {
			for (const piece of chunk.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
				// Empty lines would only stretch the page.
				if (atLineStart && piece === "\n") continue;
				process.stdout.write(`${atLineStart ? dim("   │ ") : ""}${piece}`);
				atLineStart = piece.endsWith("\n");
			}
		},
		done: (text) => line(`   ${green("✓")} ${text}`),
		failed: (text) => line(`\n${red("✗")} ${text}`),
	};
}
