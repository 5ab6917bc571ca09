import { readFileSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../api/errors";
import type { Embedded } from "./snapshot";

/** Where the build puts the page, and where the sources find it. */
const PLACES = [join(__dirname, "page.html"), join(__dirname, "..", "..", "dist", "board", "page.html")];
const PLACE_OF_DATA = '<script type="application/json" id="embedded">null</script>';

/** The page as the build made it: one file that needs nothing else. */
export function pageHtml(): string {
	// The single executable carries the page.
	const { isSea, getAsset } = require("node:sea") as typeof import("node:sea");
	if (isSea()) return getAsset("page.html", "utf8");
	for (const place of PLACES) {
		try {
			return readFileSync(place, "utf8");
		} catch (error) {
			if (errorCode(error) !== "ENOENT") throw error;
		}
	}
	throw new Error("The page is not built. Run `npm run build`.");
}

/** The page with its data in it, to be kept as an artifact, mailed, or put on a web server. */
export function pageWith(data: Embedded): string {
	// In JSON these stand only within strings; escaped, no name can end the element.
	const text = JSON.stringify(data).replace(
		/[<>&\u2028\u2029]/g,
		(char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
	);
	return pageHtml().replace(PLACE_OF_DATA, () => PLACE_OF_DATA.replace("null", () => text));
}

/** The page's own rules for the browser, which it carries as an element, and those that only a header can set. */
export function pageHeaders(html: string): Record<string, string> {
	const policy =
		/http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(html)?.[1] ?? "default-src 'none'";
	return {
		"Content-Type": "text/html; charset=utf-8",
		"Content-Security-Policy": `${policy}; frame-ancestors 'none'`,
	};
}
