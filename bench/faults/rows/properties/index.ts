import fc from "fast-check";
import { all, none, type Row } from "../../row";
import { cases } from "./inputs";
import { live, PROPERTIES, type Property } from "./life";
import { openPlace } from "./place";

/** Inputs; each case makes a resource with one and changes it to another. */
const INPUTS = { quick: 200, full: 10_000 };
/** Cases of one server: lists stay short, and a case can be found again by its server and its number. */
const TOGETHER = 50;
/** Team names reach URLs and messages, so they are as odd as they may be. */
const TEAMS = ["ml", "équipe 部 🚀", "a/b?c=d&e#f %2e", "__proto__"];

/** Random valid inputs: what is applied reads back as declared, and nothing is left to do. */
export const properties: Row = {
	number: 5,
	name: "properties",
	async run({ random, scale, progress }) {
		const count = INPUTS[scale] / 2;
		const found = Object.fromEntries(PROPERTIES.map((property): [Property, string[]] => [property, []]));
		const seen = new Map<string, number>();
		for (let done = 0; done < count; done += TOGETHER) {
			const seed = random.integer(0, 2 ** 31 - 1);
			const place = await openPlace(random.pick(TEAMS), TOGETHER);
			try {
				const sample = fc.sample(cases, { seed, numRuns: Math.min(TOGETHER, count - done) });
				for (const [index, each] of sample.entries()) {
					seen.set(each.kind, (seen.get(each.kind) ?? 0) + 2);
					for (const [property, why] of Object.entries(await live(place, each)))
						found[property]?.push(`${each.kind} ${seed}/${index}: ${why.slice(0, 400)}`);
				}
			} finally {
				await place.close();
			}
			progress(`${2 * (done + TOGETHER)} of ${2 * count} inputs`);
		}
		const of = (property: Property): string[] => found[property] ?? [];
		const held = (what: string, property: Property) => {
			const failed = [...of(property), ...of("refused")];
			return all(what, count - failed.length, count, failed);
		};
		const kinds = [...seen].map(([kind, inputs]) => `${kind} ${inputs.toLocaleString("en")}`).sort();
		return {
			load: `${(2 * count).toLocaleString("en")} random valid inputs (${kinds.join(", ")}), all five storages`,
			figures: [
				held("check, create, read: diff is empty", "applied"),
				held("update, read: diff is empty", "updated"),
				none("valid inputs refused", of("refused")),
				none("read respells what was declared", of("respelled")),
				none("unknown values: replacement not as promised", of("replaced")),
				none("check of a checked input differs", of("unstable")),
			],
		};
	},
};
