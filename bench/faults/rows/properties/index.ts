import fc from "fast-check";
import { all, none, type Row, type RowContext, type RowResult } from "../../row";
import { cases } from "./inputs";
import { type Broken, live, PROPERTIES, type Property } from "./life";
import { openPlace } from "./place";

/** Inputs; each case makes a resource with one and changes it to another. */
const INPUTS = { quick: 400, full: 10_000 };

/** Cases of one server: lists stay short, and a case can be found again by its server and its number. */
const TOGETHER = 50;

/** Characters of a reason that are shown: names and values are up to 255 characters long. */
const LONGEST = 400;

/** Team names reach URLs and messages, so they are as odd as they may be. */
const TEAMS = ["vision", "équipe 部 🚀", "a/b?c=d&e#f %2e", "__proto__"] as const;

export const properties: Row = {
	number: 5,
	name: "properties",
	async run(context: RowContext): Promise<RowResult> {
		const random = context.random.fork("properties");
		const count = INPUTS[context.scale] / 2;
		const found = new Map<Property, string[]>(PROPERTIES.map((property) => [property, []]));
		const seen = new Map<string, number>();
		for (let done = 0; done < count; done += TOGETHER) {
			const seed = random.integer(0, 2 ** 31 - 1);
			const size = Math.min(TOGETHER, count - done);
			const place = await openPlace(random.pick(TEAMS));
			try {
				for (const [index, each] of fc.sample(cases, { seed, numRuns: size }).entries()) {
					seen.set(each.kind, (seen.get(each.kind) ?? 0) + 2);
					note(found, await live(place, each), `${each.kind} ${seed}/${index}`);
				}
			} finally {
				await place.close();
			}
			context.progress(`${2 * (done + size)} of ${2 * count} inputs`);
		}
		return { load: `${load(seen)}, all five storages`, figures: figures(found, count) };
	},
};

/** A case counts once for each property, however often it breaks it. */
function note(found: Map<Property, string[]>, broken: readonly Broken[], which: string): void {
	for (const property of PROPERTIES) {
		const why = broken.find((each) => each.property === property)?.why;
		if (why !== undefined) found.get(property)?.push(`${which}: ${why.slice(0, LONGEST)}`);
	}
}

function load(seen: ReadonlyMap<string, number>): string {
	const total = [...seen.values()].reduce((sum, each) => sum + each, 0);
	const kinds = [...seen].map(([kind, count]) => `${kind} ${count.toLocaleString("en")}`).sort();
	return `${total.toLocaleString("en")} random valid inputs (${kinds.join(", ")})`;
}

function figures(found: ReadonlyMap<Property, string[]>, count: number): RowResult["figures"] {
	const of = (property: Property): string[] => found.get(property) ?? [];
	const held = (what: string, property: Property) =>
		all(what, count - of(property).length - of("refused").length, count, [...of(property), ...of("refused")]);
	return [
		held("check, create, read: diff is empty", "applied"),
		held("update, read: diff is empty", "updated"),
		none("valid inputs refused", of("refused")),
		none("read respells what was declared", of("respelled")),
		none("replaced because of an unknown", of("replaced")),
		none("check of a checked input differs", of("notIdempotent")),
	];
}
