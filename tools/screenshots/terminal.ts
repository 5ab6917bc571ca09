import { writeFileSync } from "node:fs";
import { homedir, hostname, userInfo } from "node:os";
import { join } from "node:path";
import { type IBufferCell, Terminal } from "@xterm/headless";
import { repository } from "../repository";
import { COLUMNS, playScenes } from "./scenes";

/** Writes up.svg, drift.svg and forecast.svg, and answers their paths and the page of `drift --html`. */
export async function shootTerminal(
	images: string,
): Promise<{ paths: string[]; driftPage: string }> {
	const paths: string[] = [];
	const { scenes, driftPage } = await playScenes();
	refuseTraces("drift.html", driftPage);
	for (const scene of scenes) {
		const svg = terminalSvg(
			scene.command,
			await screenOf(
				`\u001b[2m$\u001b[0m \u001b[1m${scene.command}\u001b[0m\r\n${scene.output}`,
			),
		);
		refuseTraces(`${scene.name}.svg`, svg);
		const path = join(images, `${scene.name}.svg`);
		writeFileSync(path, svg);
		paths.push(path);
	}
	return { paths, driftPage };
}

/** A picture is published: nothing in it may tell of the machine that it was made on. */
function refuseTraces(file: string, text: string): void {
	const traces = [repository, homedir(), hostname(), "dcl_", "/tmp/"];
	const found = traces.find((trace) => trace.length > 3 && text.includes(trace));
	const { username } = userInfo();
	if (found === undefined && (username.length < 5 || !text.includes(username))) return;
	throw new Error(
		`${file} would show ${found ?? "a user's name"}. Change what its command prints.`,
	);
}

/** Text of one look. */
interface Run {
	readonly column: number;
	readonly width: number;
	readonly text: string;
	/** 0 to 15 of a terminal's palette, which is all that our commands and Pulumi use; undefined for its usual colour. */
	readonly color: number | undefined;
	readonly bold: boolean;
	readonly dim: boolean;
}

/** What a terminal shows once a program has written all this to it: cursor moves carried out, as lines of runs. */
async function screenOf(output: string): Promise<Run[][]> {
	const terminal = new Terminal({
		cols: COLUMNS,
		rows: 60,
		scrollback: 10_000,
		allowProposedApi: true,
	});
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
			runs[runs.length - 1] = {
				...last,
				width: last.width + width,
				text: last.text + text,
			};
		} else runs.push({ column, width, text, ...look });
	}
	return withoutEnd(runs);
}

const lookOf = (cell: IBufferCell): Pick<Run, "color" | "bold" | "dim"> => ({
	color: cell.isFgPalette() ? cell.getFgColor() : undefined,
	bold: cell.isBold() !== 0,
	dim: cell.isDim() !== 0,
});

const sameLook = (
	a: Pick<Run, "color" | "bold" | "dim">,
	b: Pick<Run, "color" | "bold" | "dim">,
): boolean => a.color === b.color && a.bold === b.bold && a.dim === b.dim;

/** A line is as long as its text. */
function withoutEnd(runs: readonly Run[]): Run[] {
	const end = runs.map(({ text }) => text.trim() !== "").lastIndexOf(true);
	return runs.slice(0, end + 1).map((run, index) => {
		const text = index === end ? run.text.trimEnd() : run.text;
		return { ...run, text, width: run.width - (run.text.length - text.length) };
	});
}

const FONT = 13;
/** Of most monospaced fonts; each run is stretched to it, so that columns stay columns in the others. */
const ADVANCE = FONT * 0.6;
const LEADING = FONT * 1.4;
const EDGE = 16;
const TITLE = 34;

const HUES = [
	["#b3202b", "#ff7b72"],
	["#116329", "#56d364"],
	["#7d4e00", "#e3b341"],
	["#0550ae", "#79c0ff"],
	["#8250df", "#d2a8ff"],
	["#1b7c83", "#56d4dd"],
] as const;

/** The first sixteen colours of the palette, for a light and for a dark page; the bright hues are the same ones. */
const PALETTE = [
	["#24292f", "#8b949e"],
	...HUES,
	["#57606a", "#c9d1d9"],
	["#57606a", "#8b949e"],
	...HUES,
	["#24292f", "#f0f6fc"],
] as const;

/** A terminal's screen as a picture whose text can be selected, in the colours of the page that shows it. */
function terminalSvg(title: string, lines: readonly (readonly Run[])[]): string {
	const width = Math.ceil(COLUMNS * ADVANCE + 2 * EDGE);
	const height = Math.ceil(TITLE + lines.length * LEADING + EDGE);
	const used = new Set(
		lines.flat().flatMap(({ color }) => (color === undefined ? [] : [color])),
	);
	const text = lines.flatMap((runs, row) =>
		runs.flatMap((run) => runTexts(run, TITLE + (row + 1) * LEADING)),
	);
	return `${[
		`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
		`<title>${escaped(title)}</title>`,
		`<style>${style([...used].sort((a, b) => a - b))}</style>`,
		`<rect class="page" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>`,
		...[0, 1, 2].map(
			(at) => `<circle class="knob" cx="${EDGE + 5 + at * 18}" cy="18" r="5"/>`,
		),
		...text,
		"</svg>",
	].join("\n")}\n`;
}

function style(colors: readonly number[]): string {
	const theme = (at: 0 | 1) =>
		[
			`.page{fill:${at === 0 ? "#f6f8fa" : "#0d1117"};stroke:${at === 0 ? "#d0d7de" : "#30363d"}}`,
			`.knob{fill:${at === 0 ? "#d0d7de" : "#30363d"}}`,
			`text{fill:${at === 0 ? "#24292f" : "#e6edf3"}}`,
			...colors.map((color) => `.c${color}{fill:${PALETTE[color]?.[at]}}`),
		].join("");
	const font = `text{white-space:pre;font:${FONT}px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}`;
	return `${font}.b{font-weight:600}.d{opacity:.65}${theme(0)}@media(prefers-color-scheme:dark){${theme(1)}}`;
}

/** Words that stand one space apart; wider gaps are places, because what shows an SVG may make one space of them. */
const PIECE = /\S+(?: \S+)*/g;

function runTexts({ column, text, color, bold, dim }: Run, y: number): string[] {
	const classes = [
		...(color === undefined ? [] : [`c${color}`]),
		...(bold ? ["b"] : []),
		...(dim ? ["d"] : []),
	];
	const look = classes.length > 0 ? ` class="${classes.join(" ")}"` : "";
	return [...text.matchAll(PIECE)].map(({ 0: piece, index }) => {
		const place = `x="${round(EDGE + (column + index) * ADVANCE)}" y="${round(y)}"`;
		const length = `textLength="${round(piece.length * ADVANCE)}" lengthAdjust="spacingAndGlyphs"`;
		return `<text ${place} ${length}${look}>${escaped(piece)}</text>`;
	});
}

const round = (value: number): string => value.toFixed(1).replace(/\.0$/, "");

const escaped = (text: string): string =>
	text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
