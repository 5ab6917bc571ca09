import type { Cell } from "./cells";

export interface Outcome {
	readonly cell: Cell;
	/** Deployed by the engine, or only built with its mocks. */
	readonly deployed: boolean;
	readonly problem?: string | undefined;
}

const byNumber = new Intl.Collator("en", { numeric: true });
const runtimeName = ({ runtime }: Cell): string =>
	runtime === "bun" ? "Bun" : `Node ${runtime}`;

function resultOf({ deployed, problem }: Outcome): string {
	if (problem !== undefined) return "fails";
	return deployed ? "deploys" : "runs";
}

/** For the pages: what a reader has, runtime and SDK, and in a sentence what was varied beside them. */
export function shortTable(outcomes: readonly Outcome[]): string {
	const values = (pick: (cell: Cell) => string, among = outcomes) =>
		[...new Set(among.map(({ cell }) => pick(cell)))].sort(byNumber.compare);
	const sdks = values(({ sdk }) => sdk);
	const rows = values(runtimeName).map((runtime) => [
		runtime,
		...sdks.map((sdk) =>
			together(outcomes, (cell) => runtimeName(cell) === runtime && cell.sdk === sdk),
		),
	]);
	const onNode = outcomes.filter(({ cell }) => cell.runtime !== "bun");
	const varied = [
		values(({ manager }) => manager, onNode),
		values(({ modules }) => modules, onNode),
		values(({ typescript }) => `TypeScript ${typescript}`, onNode),
	];
	const table = markdownTable(["", ...sdks.map((sdk) => `SDK ${sdk}`)], rows);
	const beside = varied.map((names) => names.join(", ")).join("; ");
	return `${table}\n\nOn Node with ${beside}: \`npm run test:matrix\` tries each pair of values that can go together.`;
}

/** The results of these cells in a word; none where the SDK rules them out. */
function together(
	outcomes: readonly Outcome[],
	isMeant: (cell: Cell) => boolean,
): string {
	const results = outcomes.filter(({ cell }) => isMeant(cell)).map(resultOf);
	return results.find((result) => result === "fails") ?? results[0] ?? "–";
}

/** A Markdown table that also reads well in a terminal. */
export function markdownTable(
	header: readonly string[],
	rows: readonly (readonly string[])[],
): string {
	const widths = header.map((title, column) =>
		Math.max(3, title.length, ...rows.map((row) => row[column]?.length ?? 0)),
	);
	const line = (cells: readonly string[]) =>
		`| ${cells.map((text, column) => text.padEnd(widths[column] ?? 0)).join(" | ")} |`;
	return [header, widths.map((width) => "-".repeat(width)), ...rows]
		.map(line)
		.join("\n");
}

const MARKS = /(<!-- matrix -->)[\s\S]*?(<!-- \/matrix -->)/;

/** The text with the table between its marks; undefined where it has none. */
export function withTable(text: string, table: string): string | undefined {
	return MARKS.test(text)
		? text.replace(MARKS, (_, begin, end) => `${begin}\n\n${table}\n\n${end}`)
		: undefined;
}
