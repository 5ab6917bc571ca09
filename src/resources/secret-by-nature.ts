import * as pulumi from "@pulumi/pulumi";
import { isLater, whenKnown } from "../boundary/sdk-output";
import { holdsCredentials, URL_FIELDS } from "../schemas/secret-fields";

/**
 * Marks what is secret by nature. It must happen in the program: the engine encrypts by key path what the program
 * marks, and nothing that the provider says later.
 */
export const markUrlCredentials = (args: pulumi.Inputs): pulumi.Inputs =>
	Object.fromEntries(
		URL_FIELDS.filter((field) => args[field] !== undefined).map((field) => [field, marked(args[field])]),
	);

function marked(value: pulumi.Input<unknown>): pulumi.Input<unknown> {
	if (isLater(value) || (Array.isArray(value) && value.some(isLater))) {
		return whenKnown(value, marked);
	}
	return holdsCredentials(value) ? pulumi.secret(value) : value;
}
