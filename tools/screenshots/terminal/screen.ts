import { type IBufferCell, Terminal } from "@xterm/headless";

/** Text of one look. */
export interface Run {
	readonly column: number;
	readonly width: number;
	readonly text: string;
	/** 0 to 255 of a terminal's palette; undefined for its usual colour. */
	readonly color: number | undefined;
	readonly bold: boolean;
	readonly dim: boolean;
}

export const COLUMNS = 132;

/** What a terminal shows once a program has written all this to it: cursor moves carried out, as lines of runs. */
export async function screenOf(output: string): Promise<Run[][]> {
	const terminal = new Terminal({ cols: COLUMNS, rows: 60, scrollback: 10_000, allowProposedApi: true });
	await new Promise<void>((done) => terminal.write(output, done));
	const { active } = terminal.buffer;
	const lines = Array.from({ length: active.length }, (_, row) => {
		const line = active.getLine(row);
		const cells = Array.from({ length: COLUMNS }, (_, column) => line?.getCell(column));
		return runsOf(cells.filter((cell) => cell !== undefined));
	});
	terminal.dispose();
	while (lines.at(-1)?.length === 0) lines.pop();
	return lines;
}

function runsOf(cells: readonly IBufferCell[]): Run[] {
	const runs: Run[] = [];
	for (const [column, cell] of cells.entries()) {
		const width = cell.getWidth();
		if (width === 0) continue;
		const look = lookOf(cell);
		const text = cell.getChars() || " ";
		const last = runs.at(-1);
		if (last && last.column + last.width === column && sameLook(last, look)) {
			runs[runs.length - 1] = { ...last, width: last.width + width, text: last.text + text };
		} else runs.push({ column, width, text, ...look });
	}
	return withoutEnd(runs);
}

const lookOf = (cell: IBufferCell): Pick<Run, "color" | "bold" | "dim"> => ({
	color: cell.isFgPalette() ? cell.getFgColor() : undefined,
	bold: cell.isBold() !== 0,
	dim: cell.isDim() !== 0,
});

const sameLook = (a: Pick<Run, "color" | "bold" | "dim">, b: Pick<Run, "color" | "bold" | "dim">): boolean =>
	a.color === b.color && a.bold === b.bold && a.dim === b.dim;

/** A line is as long as its text. */
function withoutEnd(runs: readonly Run[]): Run[] {
	const end = runs.map(({ text }) => text.trim() !== "").lastIndexOf(true);
	return runs.slice(0, end + 1).map((run, index) => {
		const text = index === end ? run.text.trimEnd() : run.text;
		return { ...run, text, width: run.width - (run.text.length - text.length) };
	});
}
