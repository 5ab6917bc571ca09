import { isAtLeast } from "../../src/commands/doctor/check";

/** One way to use the package: who installs it, how the program is written and compiled, and what runs it. */
export interface Cell {
	readonly manager: Manager | "bun";
	readonly modules: Modules;
	readonly typescript: string;
	/** Version of @pulumi/pulumi. */
	readonly sdk: string;
	readonly runtime: Runtime | "bun";
}

const managers = ["npm", "pnpm", "yarn"] as const;
export type Manager = (typeof managers)[number];
export type Modules = "CommonJS" | "ESM";
export type Runtime = 20 | 22 | 24;

/** The oldest SDK that our peer range allows, and the last that runs on Node 20. */
const oldestSdk = "3.216.0";
const lastSdkForNode20 = "3.248.0";
const typescripts = { last5: "5.9.3", last6: "6.0.3" };

type Axes = { readonly [Axis in keyof Cell]: readonly Cell[Axis][] };

const axes = (newestSdk: string): Axes => ({
	manager: managers,
	modules: ["CommonJS", "ESM"],
	typescript: Object.values(typescripts),
	sdk: [oldestSdk, lastSdkForNode20, newestSdk],
	runtime: [20, 22, 24],
});

/** What the SDK itself rules out: its engines and its peers. */
function isPossible({ sdk, runtime, typescript }: Cell): boolean {
	if (runtime === 20 && isAtLeast(sdk, "3.249.0")) return false;
	return !(sdk === oldestSdk && typescript === typescripts.last6);
}

/** Every combination. */
export function allCells(newestSdk: string): Cell[] {
	const combine = (
		cells: Partial<Cell>[],
		[axis, values]: [string, readonly unknown[]],
	): Partial<Cell>[] =>
		cells.flatMap((cell) => values.map((value) => ({ ...cell, [axis]: value })));
	const product = Object.entries(axes(newestSdk)).reduce(combine, [{}]) as Cell[];
	return product.filter(isPossible);
}

/** The pairs of values that a cell shows to work together. */
export function pairsOf(cell: Cell): string[] {
	const values = Object.entries(cell).map(([axis, value]) => `${axis} ${value}`);
	return values.flatMap((one, index) =>
		values.slice(index + 1).map((other) => `${one}, ${other}`),
	);
}

/** Few cells in which each possible pair of values occurs: what breaks is nearly always one value, or two together. */
export function coveringCells(newestSdk: string): Cell[] {
	const candidates = allCells(newestSdk);
	const open = new Set(candidates.flatMap(pairsOf));
	const chosen: Cell[] = [];
	while (open.size > 0) {
		const gain = (cell: Cell) => pairsOf(cell).filter((pair) => open.has(pair)).length;
		const best = candidates.reduce((winner, cell) =>
			gain(cell) > gain(winner) ? cell : winner,
		);
		for (const pair of pairsOf(best)) open.delete(pair);
		chosen.push(best);
	}
	return chosen;
}

/** Bun in both its roles; the engine has no part in it, because its host for Bun is not among those that are built here. */
export function bunCells(newestSdk: string): Cell[] {
	const bun = {
		manager: "bun",
		runtime: "bun",
		typescript: typescripts.last5,
	} as const;
	return [
		{ ...bun, modules: "CommonJS", sdk: lastSdkForNode20 },
		{ ...bun, modules: "ESM", sdk: newestSdk },
	];
}

/** The oldest of everything, and nothing that may be another tomorrow: for `npm test`. */
export const oldest: Cell = {
	manager: "npm",
	modules: "CommonJS",
	typescript: typescripts.last5,
	sdk: oldestSdk,
	runtime: 20,
};

export const nameOf = ({ manager, modules, typescript, sdk, runtime }: Cell): string =>
	`${manager}, ${modules}, TypeScript ${typescript}, SDK ${sdk}, ${runtime === "bun" ? "Bun" : `Node ${runtime}`}`;
