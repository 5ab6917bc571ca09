import { UNKNOWN } from "../../../../src/provider/shared/unknown";
import type { Random } from "../../random";
import type { Inputs } from "./inputs";

/** The inputs with values that are not known yet: one at least, at the top or inside. */
export function withUnknowns(inputs: Inputs, random: Random): { inputs: Inputs; where: string } {
	const where: string[] = [];
	const sure = random.pick(Object.keys(inputs));
	const entries = Object.entries(inputs).map(([key, value]) => {
		if (key === sure || random.chance(0.2)) {
			where.push(key);
			return [key, UNKNOWN];
		}
		return [key, inside(value, key, random, where)];
	});
	return { inputs: Object.fromEntries(entries), where: where.join(", ") };
}

/** Marks of assets stay: the engine knows that something is an asset before it knows what is in it. */
function inside(value: unknown, path: string, random: Random, where: string[]): unknown {
	if (typeof value !== "object" || value === null || path === "source") return value;
	const replace = (item: unknown, key: string): unknown => {
		if (!random.chance(0.15)) return inside(item, `${path}.${key}`, random, where);
		where.push(`${path}.${key}`);
		return UNKNOWN;
	};
	if (Array.isArray(value)) return value.map((item, index) => replace(item, String(index)));
	return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replace(item, key)]));
}
