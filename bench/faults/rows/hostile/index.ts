import { all, none, type Row } from "../../row";
import { hostileCommands } from "./commands";
import { besiege } from "./siege";
import { hostileVariables } from "./variables";

/** Hostile input to the local server, the provider and the command line: refused, without harm. */
export const hostile: Row = {
	number: 11,
	name: "hostile",
	async run(context) {
		context.progress("raw requests to a server of its own");
		const siege = await besiege();
		const variables = await hostileVariables();
		context.progress("the command line");
		const commands = await hostileCommands(context);
		const refused = (what: string, tried: number, problems: readonly string[]) =>
			all(what, tried - problems.length, tried, problems);
		return {
			load: `${siege.attacks} hostile and ${siege.harmless} odd requests, ${variables.tried} writes with hostile variables, ${commands.tried} commands`,
			figures: [
				refused("requests refused with 4xx and a message", siege.attacks, siege.unrefused),
				none("crashes, 5xx, and good requests not served meanwhile", siege.down),
				none("changes of the server's state by refused requests", siege.stateChanges),
				refused("odd but legal input kept byte for byte", siege.harmless, siege.harmed),
				none("variables added by a line break in a value, or values repeated", variables.problems),
				refused(
					"commands that end with an error, a message, no trace and no secret",
					commands.tried,
					commands.problems,
				),
			],
		};
	},
};
