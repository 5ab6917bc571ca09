import type { Call } from "../context";
import type { Problem, Props } from "../handler";
import { isUnknown } from "./unknown";

/**
 * Fills in the connection's team where the program names none. A resource that already lives in another team is
 * never moved by a changed environment variable or config value: that would delete it there unasked.
 */
export function withTeam(call: Call, olds: Props, news: Props): { inputs: Props; problems: Problem[] } {
	if (news.teamName !== undefined && news.teamName !== null) return { inputs: news, problems: [] };
	const before = olds.teamName;
	if (typeof before !== "string" || isUnknown(before) || before === call.teamName)
		return { inputs: { ...news, teamName: call.teamName }, problems: [] };
	const reason =
		`teamName: this resource is in team "${before}", but the connection now names team "${call.teamName}". ` +
		`Point the connection back to "${before}", or set teamName: "${call.teamName}" to move the resource there.`;
	return { inputs: { ...news, teamName: before }, problems: [{ field: "teamName", reason }] };
}

/** An import names a pipeline by its id, or as people do: `name` or `team/name`. */
export function placeIn(call: Call, id: string): readonly [team: string, name: string] {
	const at = id.indexOf("/");
	return at < 0 ? [call.teamName, id] : [id.slice(0, at), id.slice(at + 1)];
}
