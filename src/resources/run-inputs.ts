import * as pulumi from "@pulumi/pulumi";
import { isLater, whenKnown } from "../boundary/sdk-output";
import { holdsCredentials, URL_FIELDS } from "../schemas/secret-fields";
import { fileIds } from "./file-ids";
import { storageByKind } from "./storage-by-kind";

/** The inputs of what runs, as they travel: those that a job and the settings of a pipeline have in common. */
export const runInputs = (args: pulumi.Inputs, where: string): pulumi.Inputs => ({
	...args,
	...markUrlCredentials(args),
	...(args.storage !== undefined && { storage: storageByKind(args.storage, where) }),
	...(args.files !== undefined && { files: fileIds(args.files, where) }),
});

/**
 * Marks what is secret by nature. It must happen in the program: the engine encrypts by key path what the program
 * marks, and nothing that the provider says later.
 */
const markUrlCredentials = (args: pulumi.Inputs): pulumi.Inputs =>
	Object.fromEntries(
		URL_FIELDS.filter((field) => args[field] !== undefined).map((field) => [field, marked(args[field])]),
	);

function marked(value: pulumi.Input<unknown>): pulumi.Input<unknown> {
	if (isLater(value) || (Array.isArray(value) && value.some(isLater))) {
		return whenKnown(value, marked);
	}
	return holdsCredentials(value) ? pulumi.secret(value) : value;
}
