import { forbidden, invalid, Refusal } from "./inputs";
import type { TeamState } from "./state";
import type { World } from "./world";

/** What a token may do, and as whom. */
export interface TokenGrant {
	readonly token: string;
	readonly user: string;
	readonly teams: readonly string[];
	readonly read: boolean;
	readonly write: boolean;
}

/** A token that was accepted. */
interface Access extends Pick<TokenGrant, "user" | "read" | "write"> {
	/** Grows when a team is added for it. */
	readonly teams: Set<string>;
	/** The team of a request that names none. */
	readonly defaultTeam: string | undefined;
}

export class Tokens {
	readonly #grants = new Map<string, Access>();

	constructor(grants: readonly TokenGrant[]) {
		for (const { token, teams, ...grant } of grants) {
			const defaultTeam = teams.length === 1 ? teams[0] : undefined;
			this.#grants.set(token, { ...grant, teams: new Set(teams), defaultTeam });
		}
	}

	/** The documents say `Bearer T`, the service's own client sends `token T`: both are accepted. */
	authenticate(
		header: string | undefined,
		access: "read" | "write",
		only?: "Bearer" | "token",
	): Access {
		if (header === undefined || header === "")
			throw new Refusal(
				401,
				"Authentication needed: send the header Authorization: Bearer <token>.",
			);
		const [, scheme = "", token = ""] = /^(bearer|token) +(\S+) *$/i.exec(header) ?? [];
		const isTaken = only === undefined || scheme.toLowerCase() === only.toLowerCase();
		const grant = isTaken ? this.#grants.get(token) : undefined;
		if (grant === undefined)
			throw new Refusal(401, "The token is not known to this server.");
		if (!grant[access])
			throw forbidden(`The token lacks ${access} access to the JOB scope.`);
		return grant;
	}

	/** Lets a token see one more team, or no longer. */
	setTeam(token: string, team: string, allowed: boolean): void {
		const teams = this.#grants.get(token)?.teams;
		if (allowed) teams?.add(team);
		else teams?.delete(team);
	}
}

/** A team that does not exist is answered like one the token may not see. */
export function requireTeam(
	world: World,
	grant: Access,
	name: string | undefined,
): TeamState {
	const wanted = name ?? grant.defaultTeam;
	if (wanted === undefined)
		throw invalid(
			"team_name: is missing, and the token has access to more than one team.",
		);
	const team = grant.teams.has(wanted) ? world.team(wanted) : undefined;
	if (team === undefined)
		throw forbidden(
			`The token is not authorized for a team "${wanted.slice(0, 255)}".`,
		);
	return team;
}
