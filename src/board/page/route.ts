import { useMemo } from "preact/hooks";
import { embedded, followed } from "./store";

/** Where the page is: `#/pipeline/ID?q=text`. Every view, with its search, filters and order, has an address. */
export interface Route {
	readonly view: string;
	readonly argument: string;
	readonly params: URLSearchParams;
}

/** An address may have been typed, or cut off. */
function decoded(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}

function read(): Route {
	const [path = "", query = ""] = location.hash.replace(/^#/, "").split("?");
	const [, view, argument = ""] = path.split("/");
	return {
		view: view || embedded?.view || "attention",
		argument: decoded(argument),
		params: new URLSearchParams(query),
	};
}

const { use: useHash, changed } = followed(() => location.hash);
addEventListener("hashchange", changed);

export function useRoute(): Route {
	const hash = useHash();
	return useMemo(read, [hash]);
}

/** Sets parameters of the address; an empty one goes. Typing in a search field is no step to go back to. */
export function setParams(values: Readonly<Record<string, string>>): void {
	const { view, argument, params } = read();
	for (const [name, value] of Object.entries(values)) {
		if (value === "") params.delete(name);
		else params.set(name, value);
	}
	const query = params.size > 0 ? `?${params}` : "";
	history.replaceState(undefined, "", `#/${view}${argument && `/${encodeURIComponent(argument)}`}${query}`);
	changed();
}
