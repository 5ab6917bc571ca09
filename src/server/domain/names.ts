import { randomInt } from "node:crypto";
import { invalid } from "../refusal";

const FIRST =
	"amber bold brisk calm clear crisp dusty eager early faint fair fleet gentle grand happy idle keen late light lively lucky mellow mild misty noble pale plain prime proud quick quiet rapid rare rough rusty sharp silent sleek slow smooth solid spare steady stout swift tidy vivid warm wide young".split(
		" ",
	);
const SECOND =
	"anchor anvil arch barrel beacon bell birch bolt bridge brook cable canal cedar chisel clamp clay cliff cove crane creek delta drill dune elm ferry field fjord flint forge gate glade grove harbor hinge lathe ledge lever maple marsh mesa mill oak orchard pier pine plane quarry rail reef ridge rivet spruce tongs valve vise wharf".split(
		" ",
	);

/** Two short words, as the service names pipelines; with a number once the plain pairs are taken. */
export function pipelineName(taken: ReadonlySet<string>): string {
	for (let attempt = 0; attempt < 200; attempt++) {
		const pair = `${FIRST[randomInt(FIRST.length)]}-${SECOND[randomInt(SECOND.length)]}`;
		const name = attempt < 20 ? pair : `${pair}-${randomInt(1_000_000)}`;
		if (!taken.has(name)) return name;
	}
	throw new Error("No free pipeline name was found.");
}

/** Names reach terminals, logs and URLs, so control characters in them are refused. */
export function requirePlainName(field: string, name: string): string {
	if (/\p{Cc}/u.test(name)) throw invalid(`${field}: must not contain control characters.`);
	if (name.length > 1_000) throw invalid(`${field}: must not be longer than 1000 characters.`);
	if (name.trim() === "") throw invalid(`${field}: must not be blank.`);
	return name;
}

/** First and last name as the service shows them; here they are made of the user name. */
export function userParts(username: string): { username: string; first_name: string; last_name: string } {
	const [first = "", ...rest] = username
		.split("-")
		.map((part) => part.charAt(0).toUpperCase() + part.slice(1));
	return { username, first_name: first, last_name: rest.join(" ") };
}
