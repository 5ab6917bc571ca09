import { messageOf } from "./process";
import { none, type Outcome, type Row, type RowContext, type RowResult } from "./row";

/** A row that never ends must not keep the others from being reported. */
const LONGEST_MINUTES = { quick: 15, full: 120 };
const UNSEEN = ["unhandledRejection", "uncaughtException"];

/** Runs one row. Whatever it throws, and whatever fails unseen meanwhile, is a failed figure of it. */
export async function runRow(row: Row, context: RowContext): Promise<Outcome> {
	const stray: string[] = [];
	const note = (error: unknown) => void stray.push(textOf(error));
	for (const event of UNSEEN) process.on(event, note);
	const started = performance.now();
	const minutes = LONGEST_MINUTES[context.scale];
	let timer: NodeJS.Timeout | undefined;
	const late = new Promise<never>((_, reject) => {
		const end = () => reject(new Error(`It did not end within ${minutes} minutes.`));
		timer = setTimeout(end, minutes * 60_000);
	});
	const broken = (error: unknown): RowResult => ({
		load: "did not finish",
		figures: [{ what: "ran", reached: "failed", wanted: "no error", ok: false, detail: textOf(error) }],
	});
	const result = await Promise.race([row.run(context), late]).catch(broken);
	clearTimeout(timer);
	for (const event of UNSEEN) process.off(event, note);
	// A row without a figure could never fail.
	const { figures } = result.figures.length > 0 ? result : broken("the row reported no figure");
	const unseen = stray.length === 0 ? [] : [none("errors nobody caught", stray)];
	const seconds = (performance.now() - started) / 1000;
	return { ...result, figures: [...figures, ...unseen], number: row.number, name: row.name, seconds };
}

const textOf = (error: unknown): string => (error instanceof Error && error.stack) || messageOf(error);
