import { CRON_FIELDS, DAY_OF_MONTH, DAY_OF_WEEK, MINUTE } from "./fields";

/** A canonical expression as a person would write it: `*\/15` for 0,15,30,45 and 1-5 for 1,2,3,4,5. */
export function shortCron(canonical: string): string {
	const fields = canonical.split(" ");
	return fields.map((text, index) => shortField(text, index, fields)).join(" ");
}

function shortField(text: string, index: number, fields: readonly string[]): string {
	const parts = text.split(",");
	const numbers = parts.filter((part) => /^\d+$/.test(part)).map(Number);
	const others = parts.filter((part) => !/^\d+$/.test(part));
	const steps = index === DAY_OF_WEEK ? undefined : inSteps(numbers, index, fields);
	return [...(steps === undefined ? inRuns(numbers) : [steps]), ...others].join(",");
}

function inSteps(numbers: readonly number[], index: number, fields: readonly string[]): string | undefined {
	const { min = 0, max = 0 } = CRON_FIELDS[index] ?? {};
	const [first = 0, second = 0] = numbers;
	const last = numbers.at(-1) ?? 0;
	const step = second - first;
	if (step < 2 || numbers.some((value, at) => value !== first + at * step)) return undefined;
	const isComplete = first === min && last + step > max;
	// A star with a step beside a weekday is one of the things that schedulers read in different ways.
	const mayHaveStar = index !== DAY_OF_MONTH || fields[DAY_OF_WEEK] === "*";
	if (isComplete && mayHaveStar && numbers.length >= (index === MINUTE ? 2 : 3)) return `*/${step}`;
	return numbers.length >= 4 ? `${first}-${last}/${step}` : undefined;
}

function inRuns(numbers: readonly number[]): string[] {
	const runs: number[][] = [];
	for (const value of numbers) {
		const run = runs.at(-1);
		if (run?.at(-1) === value - 1) run.push(value);
		else runs.push([value]);
	}
	return runs.flatMap((run) => (run.length >= 3 ? [`${run[0]}-${run.at(-1)}`] : run.map(String)));
}
