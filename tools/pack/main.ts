import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { homepage, version } from "../../package.json";
import { repository } from "../repository";

const file = join(repository, "README.md");
const home = { repository: homepage.replace(/#.*/, ""), version };

/**
 * npm packs the README that lies in the root, so it is changed before and changed back after: `prepack` and `postpack`.
 * Both can be run again, should something be killed in between.
 */
function main(step: string | undefined): void {
	const text = readFileSync(file, "utf8");
	const original = relativeLinks(text, home);
	const packed = absoluteLinks(text, home);
	if (relativeLinks(packed, home) !== original)
		throw new Error("README.md would not be the same after packing.");
	writeFileSync(file, step === "before" ? packed : original);
}

/** Where the links of a published README lead: the files of its own version, which the package does not carry. */
interface Home {
	/** Page of the repository. */
	readonly repository: string;
	readonly version: string;
}

const isImage = (target: string): boolean =>
	/\.(?:gif|jpe?g|png|svg|webp)$/i.test(target);

/** Code, in which brackets and parentheses mean other things. */
const CODE = /(^```[\s\S]*?^```$|`[^`\n]*`)/m;
/** The beginning of a link in Markdown or HTML, and a target that is neither a URL nor a place on the same page. */
const RELATIVE =
	/(\]\(|^\[[^\]\n]+\]:\s+|\b(?:href|src|srcset)=")(?![a-z][a-z\d+.-]*:|[#/])([^)\s"]+)/gim;

/** The text with every relative link led to the repository at this version. */
function absoluteLinks(text: string, { repository, version }: Home): string {
	return text
		.split(CODE)
		.map((part, index) =>
			// What the pattern of a split captures are the odd parts.
			index % 2 === 1
				? part
				: part.replace(
						RELATIVE,
						(_, before: string, target: string) =>
							`${before}${repository}/${isImage(target) ? "raw" : "blob"}/v${version}/${target}`,
					),
		)
		.join("");
}

/** The inverse. */
function relativeLinks(text: string, { repository, version }: Home): string {
	return ["blob", "raw"].reduce(
		(result, kind) => result.replaceAll(`${repository}/${kind}/v${version}/`, ""),
		text,
	);
}

main(process.argv[2]);
