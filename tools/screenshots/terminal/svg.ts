import { COLUMNS, type Run } from "./screen";

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
export function terminalSvg(title: string, lines: readonly (readonly Run[])[]): string {
	const width = Math.ceil(COLUMNS * ADVANCE + 2 * EDGE);
	const height = Math.ceil(TITLE + lines.length * LEADING + EDGE);
	const used = new Set(lines.flat().flatMap(({ color }) => (color === undefined ? [] : [color])));
	const text = lines.flatMap((runs, row) =>
		runs.flatMap((run) => runTexts(run, TITLE + (row + 1) * LEADING)),
	);
	return `${[
		`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
		`<title>${escaped(title)}</title>`,
		`<style>${style([...used].sort((a, b) => a - b))}</style>`,
		`<rect class="page" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>`,
		...[0, 1, 2].map((at) => `<circle class="knob" cx="${EDGE + 5 + at * 18}" cy="18" r="5"/>`),
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
			...colors.map((color) => `.c${color}{fill:${PALETTE[color]?.[at] ?? extended(color)}}`),
		].join("");
	const font = `text{white-space:pre;font:${FONT}px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}`;
	return `${font}.b{font-weight:600}.d{opacity:.65}${theme(0)}@media(prefers-color-scheme:dark){${theme(1)}}`;
}

/** The cube and the greys above the first sixteen. */
function extended(color: number): string {
	const level = (step: number) => (step === 0 ? 0 : 55 + step * 40);
	const at = color - 16;
	const rgb =
		color >= 232
			? Array(3).fill(8 + (color - 232) * 10)
			: [level(Math.floor(at / 36)), level(Math.floor(at / 6) % 6), level(at % 6)];
	return `rgb(${rgb.join(" ")})`;
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
