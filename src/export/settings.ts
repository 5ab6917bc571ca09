import type { z } from "zod";
import { requirementLines, settingsArgsShape } from "../schemas/settings-args";
import type { Pipeline } from "../schemas/wire/pipeline";
import { declared, firstIssue, isWellFormed, NOT_WELL_FORMED, nameProblem } from "./declarable";
import type { Expression } from "./expression";
import type { ModelOptions } from "./model";
import { holdsCredential, isSecretVariable } from "./secrets";

/** A value that belongs into the stack's configuration, encrypted. */
export interface StoredSecret {
	readonly key: string;
	readonly value: string;
	/** The value is kept in base64: the language would read the text itself as more than a text. */
	readonly base64?: true;
}

/**
 * The arguments that adopt a pipeline's settings as they are; none where nothing is set that could be declared.
 * `resource` starts the keys of its secrets.
 */
export function describeSettings(pipeline: Pipeline, resource: string, options: ModelOptions) {
	const problem = nameProblem(pipeline.name);
	if (problem !== undefined) {
		return { secrets: [], leftOut: [{ key: "all settings", why: `the pipeline's name ${problem}` }] };
	}
	const live = liveSettings(pipeline);
	const leftOut = live.flatMap(([key, value]) => {
		const why = obstacle(key, value);
		return why === undefined ? [] : [{ key, why }];
	});
	const secrets: StoredSecret[] = [];
	const keep: Keep = (key, value) => {
		// In YAML a dot in a name reads as a property of what stands before it; no name here has two hyphens in a row.
		const configKey = `${resource}${options.yaml ? "--" : "."}${key}`;
		const base64 = options.yaml && isMoreThanText(value) && { base64: true as const };
		const stored = base64 ? Buffer.from(value).toString("base64") : value;
		secrets.push({ key: configKey, value: stored, ...base64 });
		return { configKey, ...base64 };
	};
	const settings = live
		.filter(([key]) => !leftOut.some((out) => out.key === key))
		.map(([key, value]) => [key, expressionOf(key, value, keep, options)] as const);
	if (settings.length === 0) return { secrets, leftOut };
	const fields = declared<string, Expression>([
		["pipelineName", pipeline.name ?? undefined],
		...settings,
		["teamName", options.teamName],
		["adopt", true],
		["onDestroy", "keep"],
	]);
	return { args: { fields }, secrets, leftOut };
}

/** A configuration value that is JSON reaches a program in YAML as what it says, and not as its text. */
function isMoreThanText(value: string): boolean {
	try {
		return typeof JSON.parse(value) !== "string";
	} catch {
		return false;
	}
}

type SettingKey = keyof typeof settingsArgsShape;
type Variables = Readonly<Record<string, string | null>>;
type SettingValue = string | number | string[] | Variables;
type Keep = (key: string, value: string) => Expression;

/** What is set, in the form of the inputs. Files and credentials are not shown by the service, so they stay unmanaged. */
function liveSettings(pipeline: Pipeline): (readonly [SettingKey, SettingValue])[] {
	return declared<SettingKey, SettingValue>([
		["pythonVersion", pipeline.python_version || undefined],
		["requirements", requirements(pipeline.requirements ?? "")],
		["repository", pipeline.repository || undefined],
		["workers", pipeline.workers ?? undefined],
		["priority", pipeline.priority ?? undefined],
		["environment", variables(pipeline.environment_variables ?? {})],
	]);
}

/** A list reads better than a text; white space around a requirement means nothing to the provider. */
function requirements(text: string): SettingValue | undefined {
	const lines = requirementLines(text);
	if (lines.length === 0) return undefined;
	return settingsArgsShape.requirements.safeParse(lines).success ? lines : text;
}

function variables(map: Variables): Variables | undefined {
	const names = Object.keys(map).sort();
	return names.length === 0 ? undefined : Object.fromEntries(names.map((name) => [name, map[name] ?? null]));
}

/** Asks the provider's own rules: what they refuse must not be in the program. The reason never shows a value. */
function obstacle(key: SettingKey, value: SettingValue): string | undefined {
	// Objects lose this key on their way through Pulumi, and the environment is declared as a whole.
	if (typeof value === "object" && Object.hasOwn(value, "__proto__"))
		return "a variable is named __proto__, which cannot be declared";
	const entries = typeof value === "object" ? Object.entries(value) : [["", String(value)] as const];
	const [empty] = entries.find(([, text]) => text === null) ?? [];
	if (empty !== undefined) return `the variable ${JSON.stringify(empty)} is null, which cannot be declared`;
	if (!entries.flat().every((text) => isWellFormed(text ?? ""))) return NOT_WELL_FORMED;
	const schema: z.ZodType = settingsArgsShape[key];
	const { error } = schema.safeParse(value, { reportInput: false });
	return error && firstIssue(error);
}

function expressionOf(key: SettingKey, value: SettingValue, keep: Keep, options: ModelOptions): Expression {
	if (typeof value === "number") return value;
	// A variable's name has no "-", so these keys are never the key of a variable.
	if (key === "requirements" && Array.isArray(value)) {
		return value.map((line, index) =>
			holdsCredential(line) ? keep(`requirement-${index + 1}`, line) : line,
		);
	}
	if (typeof value === "string") {
		return key !== "pythonVersion" && holdsCredential(value) ? keep(`${key}-text`, value) : value;
	}
	const fields = Object.entries(value).map(([name, set]): readonly [string, Expression] => {
		const text = set ?? "";
		// An empty value hides nothing, and a configuration value cannot be told from a missing one when it is empty.
		const plain = text === "" || (options.plainValues === true && !isSecretVariable(name, text));
		return [name, plain ? text : keep(name, text)];
	});
	return { fields };
}
