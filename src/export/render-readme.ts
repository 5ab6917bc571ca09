import { jsonLiteral } from "./literal";
import type { LeftOut, TeamModel } from "./model";
import type { Language } from "./render-project";

/** The commands that store the secrets; each asks for its value, so that none ends up in a shell's history. */
export function secretCommands(model: TeamModel): string[] {
	return model.secrets.map(
		({ key, base64 }) =>
			`pulumi config set --secret ${key}${base64 ? "   # the value in base64: it is JSON, which YAML would take apart" : ""}`,
	);
}

/** One line of JSON: names are the service's, and must not be read as anything but text. */
export function leftOutLine({ what, which, name, why }: LeftOut): string {
	const subject = what === "schedule" ? "schedule" : "pipeline";
	const id = what === "schedule" ? `"id": ${which}` : `"setting": ${jsonLiteral(which)}`;
	return `{ "${subject}": ${jsonLiteral(name)}, ${id}, "why": ${jsonLiteral(why)} }`;
}

/** How to go on with the project. */
export function renderReadme(
	model: TeamModel,
	{ retain, language }: { readonly retain: boolean; readonly language: Language },
): string {
	const { install, schedules, settings } = WORDS[language];
	return [
		"# A DataChain team as a Pulumi program",
		`Written by \`pulumi-datachain export\`: ${count(model.schedules.length, "schedule")} in \`${schedules}\`, the settings ` +
			`of ${count(model.settings.length, "pipeline")} in \`${settings}\`. Every resource has \`adopt: true\`: the first ` +
			"`pulumi up` takes over what exists, under the same id, and changes nothing.",
		"## Take it over",
		"Set `DATACHAIN_STUDIO_URL`, `DATACHAIN_STUDIO_TOKEN` and `DATACHAIN_STUDIO_TEAM`, then:",
		fence("sh", [...install, "pulumi stack init dev"]),
		...listed(
			"sh",
			secretCommands(model),
			"Values that are or may be secret are not in the code. Each command asks for one:",
		),
		fence("sh", [
			'pulumi preview   # says "nothing will change" for each resource',
			"pulumi up",
			"pulumi up        # no changes",
		]),
		"## Good to know",
		`${destroyPart(retain, WORDS[language])}\n` +
			"- A variable that is added to a pipeline's environment elsewhere is drift: `environment` declares all of them.\n" +
			"- Files and credentials of a pipeline are not shown by the service, so they are not in here, and stay as they are.",
		...listed(
			"json",
			model.leftOut.map(leftOutLine),
			"## Left out",
			"These are on the service, but cannot be declared as they are:",
		),
	]
		.join("\n\n")
		.concat("\n");
}

interface Words {
	readonly install: readonly string[];
	/** Files that hold them. */
	readonly schedules: string;
	readonly settings: string;
	/** The option that keeps an object on the service, and how to give it. */
	readonly option: string;
	readonly how: string;
}

const WORDS: Readonly<Record<Language, Words>> = {
	typescript: {
		install: ["npm install"],
		schedules: "schedules.ts",
		settings: "settings.ts",
		option: "retainOnDelete: true",
		how: "Add\n  `{ retainOnDelete: true }` as the third argument to keep one",
	},
	python: {
		install: [
			"python3 -m venv venv && . venv/bin/activate   # the plugin is found while it is active",
			"pip install -r requirements.txt",
		],
		schedules: "schedules.py",
		settings: "settings.py",
		option: "retain_on_delete=True",
		how: "Add\n  `opts=pulumi.ResourceOptions(retain_on_delete=True)` to keep one",
	},
	yaml: {
		install: ["npm install   # brings the plugin"],
		schedules: "Pulumi.yaml",
		settings: "Pulumi.yaml",
		option: "retainOnDelete: true",
		how: "Add\n  `options: { retainOnDelete: true }` to keep one",
	},
};

function destroyPart(retain: boolean, { option, how }: Words): string {
	if (retain) {
		return (
			"- `pulumi destroy`, and taking a resource out of the program, leave the schedules on the service\n" +
			`  (\`${option}\`) and the settings as they are (\`onDestroy\`).`
		);
	}
	return (
		`- \`pulumi destroy\` deletes the schedules on the service, as does taking one out of the program. ${how}, or export with \`--retain\`.\n` +
		'- The settings are kept; `onDestroy` says so, and takes `"restore"` and `"reset"` as well.'
	);
}

/** With what is said above it; nothing where there are no lines. */
const listed = (language: string, lines: readonly string[], ...above: string[]): string[] =>
	lines.length === 0 ? [] : [...above, fence(language, lines)];

const fence = (language: string, lines: readonly string[]): string =>
	`\`\`\`${language}\n${lines.join("\n")}\n\`\`\``;

/** `3 schedules`, `1 schedule`. */
export const count = (n: number, what: string): string => `${n} ${what}${n === 1 ? "" : "s"}`;
