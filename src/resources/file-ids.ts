import * as pulumi from "@pulumi/pulumi";
import { isLater, whenKnown } from "../boundary/sdk-output";
import { JobFile } from "./job-file";

/** The ids of attached files. What is neither an id nor a JobFile is left for the provider to refuse by its place. */
export function fileIds(given: unknown, where: string): unknown {
	if (given === undefined || given === null) return undefined;
	if (isLater(given)) return whenKnown(given, (known) => fileIds(known, where));
	if (!Array.isArray(given)) {
		throw new TypeError(`${where}: files must be a list. Write files: [file].`);
	}
	return given.some((file) => typeof file === "object") ? pulumi.output(given.map(idOf(where))) : given;
}

const idOf =
	(where: string) =>
	(file: unknown, index: number): unknown => {
		if (isLater(file)) return whenKnown(file, (known) => idOf(where)(known, index));
		if (file instanceof JobFile) return file.id;
		if (!pulumi.Resource.isInstance(file) && !pulumi.asset.Asset.isInstance(file)) return file;
		throw new TypeError(
			`${where}: files[${index}] must be a JobFile or the id of an uploaded file. Upload it with new JobFile("name", { source: … }).`,
		);
	};
