import type { EndpointName } from "../../schemas/wire/endpoints";
import type { FaultRequest, RuleOf } from "../fault-rules";
import type { Faults } from "../faults";

/** The reply as the rules want it: cut short, or saying something else. */
export function reshape(faults: Faults, request: FaultRequest, name: EndpointName, reply: unknown): unknown {
	const cap = faults.take(request, ["capped-list"]);
	const capped = cap !== undefined && Array.isArray(reply) ? cut(name, reply, cap) : reply;
	const rewrites = faults.takeAll(request, ["rewrite"]);
	if (rewrites.length === 0) return capped;
	// The reply may share parts with the state, which no rule is to change.
	const changed: unknown = JSON.parse(JSON.stringify(capped));
	for (const rule of rewrites) rewrite(changed, rule);
	return changed;
}

/** Lists that have the newest element in front; the others have it at the end. */
const NEWEST_FIRST: readonly EndpointName[] = ["listJobs", "listPipelines"];

function cut(name: EndpointName, list: unknown[], { limit, which }: RuleOf<"capped-list">): unknown[] {
	const fromFront = NEWEST_FIRST.includes(name) === (which === "newest");
	return fromFront ? list.slice(0, limit) : list.slice(Math.max(0, list.length - limit));
}

function rewrite(reply: unknown, { set = {}, remove = [], fraction = {} }: RuleOf<"rewrite">): void {
	for (const path of remove) atPath(reply, path, Reflect.deleteProperty);
	for (const [path, value] of Object.entries(set)) {
		atPath(reply, path, (parent, key) => define(parent, key, value));
	}
	for (const [path, digits] of Object.entries(fraction)) {
		atPath(reply, path, (parent, key) => {
			const instant = own(parent, key);
			if (typeof instant === "string") define(parent, key, withFraction(instant, digits));
		});
	}
}

/** Calls back with each object that the path's last key belongs to; where there is none, nothing happens. */
function atPath(value: unknown, path: string, change: (parent: object, key: string) => void): void {
	if (typeof value !== "object" || value === null) return;
	const [key = "", ...rest] = path.split(".");
	for (const one of key === "*" ? Object.keys(value) : [key]) {
		if (rest.length === 0) change(value, one);
		else atPath(own(value, one), rest.join("."), change);
	}
}

const own = (parent: object, key: string): unknown => Object.getOwnPropertyDescriptor(parent, key)?.value;

function define(parent: object, key: string, value: unknown): void {
	Object.defineProperty(parent, key, { value, enumerable: true, configurable: true, writable: true });
}

function withFraction(instant: string, digits: number): string {
	return instant.replace(/(:\d\d:\d\d)(?:\.(\d+))?/, (_, time: string, fraction = "") =>
		digits === 0 ? time : `${time}.${String(fraction).padEnd(digits, "0").slice(0, digits)}`,
	);
}
