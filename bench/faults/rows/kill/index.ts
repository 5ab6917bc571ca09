import { all, type Figure, none, type Row, type RowContext, type Scale } from "../../row";
import { isWell, type Kind, type Order, type Outcome, runLane } from "./lane";

interface Load {
	readonly kind: Kind;
	readonly kills: Readonly<Record<Scale, number>>;
}

const LOADS: readonly Load[] = [
	{
		kind: { name: "CLI", victims: ["cli", "cli", "tree"], skipCheckpoints: false },
		kills: { quick: 2, full: 50 },
	},
	{
		kind: { name: "provider", victims: ["provider"], skipCheckpoints: false },
		kills: { quick: 2, full: 50 },
	},
	{
		kind: { name: "CLI, checkpoints skipped", victims: ["cli", "cli", "tree"], skipCheckpoints: true },
		kills: { quick: 1, full: 20 },
	},
];

/** Two stacks with a server each: one alone leaves a core idle. */
const LANES = 2;
const SCHEDULES: Readonly<Record<Scale, number>> = { quick: 12, full: 50 };

/** SIGKILL in the middle of a deployment, and the documented way back. */
export const kill: Row = {
	number: 3,
	name: "kill",
	async run(context) {
		const outcomes: Outcome[] = [];
		const schedules = SCHEDULES[context.scale];
		const lanes = ordersByLane(context);
		const total = lanes.flat().length;
		const told = (outcome: Outcome): void => {
			outcomes.push(outcome);
			const well = outcomes.filter(isWell).length;
			context.progress(`${outcomes.length} of ${total} kills, ${well} recovered; ${outcome.label}`);
		};
		await Promise.all(lanes.map((orders) => runLane(orders, schedules, told)));
		return {
			load: `${total} kills at random moments of up over ${schedules} schedules`,
			figures: LOADS.flatMap(({ kind, kills }) =>
				figuresOf(
					kind.name,
					outcomes.filter((outcome) => outcome.kind === kind),
					kills[context.scale],
				),
			),
			compared: [{ who: "before the recovery", outcome: damageDone(outcomes) }],
		};
	},
};

function ordersByLane({ scale, random }: RowContext): Order[][] {
	const lanes: Order[][] = Array.from({ length: LANES }, () => []);
	for (const { kind, kills } of LOADS) {
		for (let index = 0; index < kills[scale]; index++)
			lanes[index % LANES]?.push({ kind, random: random.fork(`${kind.name} ${index}`) });
	}
	return lanes;
}

function figuresOf(name: string, outcomes: readonly Outcome[], wanted: number): Figure[] {
	const told = (list: (outcome: Outcome) => readonly string[]): string[] =>
		outcomes.flatMap((outcome) => list(outcome).map((text) => `${outcome.label}: ${text}`));
	const failed = told(({ failure, findings }) => [
		...(failure === undefined ? [] : [failure]),
		...findings.preview,
	]);
	return [
		all(`${name}: recovered`, outcomes.filter(isWell).length, wanted, failed),
		none(
			`${name}: duplicated or left over`,
			told(({ findings }) => findings.duplicated),
		),
		none(
			`${name}: lost or other than declared`,
			told(({ findings }) => findings.lost),
		),
		none(
			`${name}: pending operations`,
			told(({ findings }) => findings.pending),
		),
	];
}

function damageDone(outcomes: readonly Outcome[]): string {
	const sum = (part: keyof Outcome["damage"]) =>
		outcomes.reduce((total, { damage }) => total + damage[part], 0);
	const touched = outcomes.filter(({ damage }) => Object.values(damage).some((count) => count > 0)).length;
	return (
		`${touched} of ${outcomes.length} kills left damage: ${sum("pending")} pending operations, ${sum("unknown")} schedules ` +
		`unknown to the state, ${sum("missing")} in it that were gone`
	);
}
