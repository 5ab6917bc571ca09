import { isMissing, NotAuthorizedError } from "../../client";
import type { Pipeline } from "../../schemas/wire/pipeline";
import type { Call } from "./context";

interface Place {
	readonly team: string;
	readonly name: string;
	readonly pipeline: Pipeline;
}

/**
 * The pipeline that an import's id means: `team/name`, cut at each slash because both may have one, or a name in the
 * connection's team. A team that the service does not show to this token is only a wrong reading of the id.
 */
export async function findByImportId(
	call: Call,
	id: string,
	find: (team: string, name: string) => Promise<Pipeline | undefined>,
): Promise<Place | undefined> {
	const slashes = [...id.matchAll(/\//g)].map(({ index }) => index);
	const cuts = slashes.map((at) => [id.slice(0, at), id.slice(at + 1)] as const);
	const failures: unknown[] = [];
	const at = async ([team, name]: readonly [string, string]): Promise<Place[]> => {
		try {
			const pipeline = await find(team, name);
			return pipeline === undefined ? [] : [{ team, name, pipeline }];
		} catch (error) {
			if (!(error instanceof NotAuthorizedError || isMissing(error))) throw error;
			failures.push(error);
			return [];
		}
	};
	const named = (
		await Promise.all(cuts.filter((parts) => !parts.includes("")).map(at))
	).flat();
	const places = named.length > 0 ? named : await at([call.teamName, id]);
	if (places.length === 0 && failures.length > 0) throw failures[0];
	if (places.length < 2) return places[0];
	const list = places.map(({ team, name }) => `"${name}" in team "${team}"`).join(", ");
	throw new Error(
		`"${id}" is the id of several pipelines: ${list}. Set DATACHAIN_STUDIO_TEAM to the team that you mean, and give the name ` +
			"of the pipeline alone.",
	);
}
