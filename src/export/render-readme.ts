import { jsonLiteral } from "./literal";
import type { LeftOut, TeamModel } from "./model";

/** The commands that store the secrets; each asks for its value, so that none ends up in a shell's history. */
export function secretCommands(model: TeamModel): string[] {
	return model.secrets.map(({ key }) => `pulumi config set --secret ${key}`);
}

/** One line of JSON: names are the service's, and must not be read as anything but text. */
export function leftOutLine({ what, which, name, why }: LeftOut): string {
	const subject = what === "schedule" ? "schedule" : "pipeline";
	const id = what === "schedule" ? `"id": ${which}` : `"setting": ${jsonLiteral(which)}`;
	return `{ "${subject}": ${jsonLiteral(name)}, ${id}, "why": ${jsonLiteral(why)} }`;
}

/** How to go on with the project. */
export function renderReadme(model: TeamModel, { retain }: { readonly retain: boolean }): string {
	return [
		"# A DataChain team as a Pulumi program",
		`Written by \`pulumi-datachain export\`: ${count(model.schedules.length, "schedule")} in \`schedules.ts\`, the settings ` +
			`of ${count(model.settings.length, "pipeline")} in \`settings.ts\`. Every resource has \`adopt: true\`: the first ` +
			"`pulumi up` takes over what exists, under the same id, and changes nothing.",
		"## Take it over",
		"Set `DATACHAIN_STUDIO_URL`, `DATACHAIN_STUDIO_TOKEN` and `DATACHAIN_STUDIO_TEAM`, then:",
		fence("sh", ["npm install", "pulumi stack init dev"]),
		...secretsPart(model),
		fence("sh", [
			'pulumi preview   # says "nothing will change" for each resource',
			"pulumi up",
			"pulumi up        # no changes",
		]),
		"## Good to know",
		`${destroyPart(retain)}\n` +
			"- A variable that is added to a pipeline's environment elsewhere is drift: `environment` declares all of them.\n" +
			"- Files and credentials of a pipeline are not shown by the service, so they are not in here, and stay as they are.",
		...leftOutPart(model.leftOut),
	]
		.join("\n\n")
		.concat("\n");
}

function secretsPart(model: TeamModel): string[] {
	if (model.secrets.length === 0) return [];
	return [
		"Values that are or may be secret are not in the code. Each command asks for one:",
		fence("sh", secretCommands(model)),
	];
}

function destroyPart(retain: boolean): string {
	if (retain) {
		return (
			"- `pulumi destroy`, and taking a resource out of the program, leave the schedules on the service\n" +
			"  (`retainOnDelete: true`) and the settings as they are (`onDestroy`)."
		);
	}
	return (
		"- `pulumi destroy` deletes the schedules on the service, as does taking one out of the program. Add\n" +
		"  `{ retainOnDelete: true }` as the third argument to keep one, or export with `--retain`.\n" +
		'- The settings are kept; `onDestroy` says so, and takes `"restore"` and `"reset"` as well.'
	);
}

function leftOutPart(leftOut: readonly LeftOut[]): string[] {
	if (leftOut.length === 0) return [];
	return [
		"## Left out",
		"These are on the service, but cannot be declared as they are:",
		fence("json", leftOut.map(leftOutLine)),
	];
}

const fence = (language: string, lines: readonly string[]): string =>
	`\`\`\`${language}\n${lines.join("\n")}\n\`\`\``;

const count = (n: number, what: string): string => `${n} ${what}${n === 1 ? "" : "s"}`;
