import type { Connection, LookupOptions } from "./connection";

/** The keys of a lookup's arguments; the compiler asks for every one of them. */
export type KeysOf<Args> = Readonly<Record<keyof Args, true>>;

const OPTIONS: KeysOf<LookupOptions> = { connection: true };
const CONNECTION: KeysOf<Connection> = { baseUrl: true, token: true, teamName: true };

/** The arguments as given, none where there are none. A misspelled filter would otherwise match everything. */
export function knownArgs<Args extends object>(
	lookup: string,
	keys: KeysOf<Args>,
	args: Args | null | undefined,
): Partial<Args> {
	if (args === undefined || args === null) return {};
	const hint = Object.keys(args).some((key) => key in CONNECTION && !(key in keys))
		? ` Where to look goes into the second argument: ${lookup}(…, { connection: { … } }).`
		: "";
	refuseOthers(lookup, keys, args, hint);
	return args;
}

export function checkOptions(lookup: string, options: object | null | undefined): void {
	if (options === undefined || options === null) return;
	refuseOthers(`The second argument of ${lookup}`, OPTIONS, options);
	const connection: unknown = Reflect.get(options, "connection");
	if (typeof connection === "object" && connection !== null)
		refuseOthers(`The connection of ${lookup}`, CONNECTION, connection);
}

function refuseOthers(where: string, keys: object, given: object, hint = ""): void {
	const others = Object.keys(given).filter((key) => !Object.hasOwn(keys, key));
	if (others.length === 0) return;
	const named = others.map((key) => JSON.stringify(key)).join(", ");
	throw new TypeError(`${where} does not know ${named}. It knows ${Object.keys(keys).join(", ")}.${hint}`);
}
