import type { Figure, Row, RowContext, RowResult } from "./row";

/** One row, done: what it reached and how long it took. */
export interface Outcome extends RowResult {
	readonly row: Pick<Row, "number" | "name">;
	readonly seconds: number;
}

/** A row that never ends must not keep the others from being reported. */
const LONGEST_MINUTES = { quick: 5, full: 120 };

/** Runs one row. Whatever it throws, and whatever fails unseen meanwhile, is a failed figure of it. */
export async function runRow(row: Row, context: RowContext): Promise<Outcome> {
	const stray: string[] = [];
	const note = (error: unknown) => void stray.push(messageOf(error));
	process.on("unhandledRejection", note);
	process.on("uncaughtException", note);
	const started = performance.now();
	const result = await bounded(row, context).catch((error: unknown): RowResult => broken("ran", error));
	process.off("unhandledRejection", note);
	process.off("uncaughtException", note);
	const unseen = stray.length === 0 ? [] : broken("errors nobody caught", stray.join("\n")).figures;
	return {
		...result,
		figures: [...result.figures, ...unseen],
		row: { number: row.number, name: row.name },
		seconds: (performance.now() - started) / 1000,
	};
}

async function bounded(row: Row, context: RowContext): Promise<RowResult> {
	const minutes = LONGEST_MINUTES[context.scale];
	let timer: NodeJS.Timeout | undefined;
	const late = new Promise<never>((_, reject) => {
		const error = new Error(`Row ${row.number} (${row.name}) did not end within ${minutes} minutes.`);
		timer = setTimeout(() => reject(error), minutes * 60_000);
	});
	try {
		const result = await Promise.race([row.run(context), late]);
		// A row without a figure could never fail.
		return result.figures.length > 0 ? result : { ...result, ...broken("figures", "the row reported none") };
	} finally {
		clearTimeout(timer);
	}
}

function broken(what: string, error: unknown): RowResult {
	const figure: Figure = { what, reached: "failed", wanted: "no error", ok: false, detail: messageOf(error) };
	return { load: "did not finish", figures: [figure] };
}

function messageOf(error: unknown): string {
	if (!(error instanceof Error)) return String(error);
	return error.stack === undefined || error.stack === "" ? error.message : error.stack;
}
