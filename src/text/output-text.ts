/**
 * In a string, an Output of Pulumi gives an error text and not its value, and the program goes on. Each SDK names in that
 * text the method that was called.
 */
const ERROR_TEXT = /Calling \[?(\w+)\]? on an \[?Output[<[]T[\]>]\]? is not supported/;

/** What to write instead, by the method that was called. */
const INSTEAD: Readonly<Record<string, string>> = {
	toString: `pulumi.interpolate\`id-\${output}\` or output.apply((value) => \`id-\${value}\`)`,
	toJSON:
		"pulumi.jsonStringify({ id: output }) or output.apply((value) => JSON.stringify({ id: value }))",
	__str__:
		'pulumi.Output.format("id-{0}", output) or output.apply(lambda value: f"id-{value}")',
	ToString: 'Output.Format($"id-{output}") or output.Apply(value => $"id-{value}")',
};

interface OutputText {
	/** Where it stands: `environment.URL`. A key of a map that holds it is not named. */
	readonly path: string;
	/** Why the value cannot be used, and what to write instead. */
	readonly reason: string;
}

/** Each string in the value that an Output was put into. */
export function outputTexts(value: unknown, path: string): OutputText[] {
	if (typeof value === "string") return textProblem(value, path);
	if (Array.isArray(value))
		return value.flatMap((item, at) => outputTexts(item, `${path}.${at}`));
	if (!isMap(value)) return [];
	return Object.entries(value).flatMap(([key, item]) => {
		const inKey = textProblem(key, path);
		return inKey.length > 0 ? inKey : outputTexts(item, `${path}.${key}`);
	});
}

/** Throws the first of them. `where` is what the value was given to. */
export function refuseOutputText(where: string, value: unknown, path = ""): void {
	const [first] = outputTexts(value, path);
	if (first === undefined) return;
	const place = [where, first.path.replace(/^\./, "")].filter((part) => part !== "");
	throw new TypeError(`${place.join(": ")}: ${first.reason}`);
}

function textProblem(text: string, path: string): OutputText[] {
	const [, method] = ERROR_TEXT.exec(text) ?? [];
	if (method === undefined) return objectProblem(text, path);
	const instead = INSTEAD[method] ?? INSTEAD.toString;
	const reason =
		"an Output was used as a string, so Pulumi put an error text in place of its value. Build the string with " +
		`${instead}.`;
	return [{ path, reason }];
}

/** What JavaScript puts in place of an object. A script or a document may hold it by right. */
const OBJECT_TEXT = /^.{0,200}\[object (Object|Promise)\].{0,200}$/;

function objectProblem(text: string, path: string): OutputText[] {
	const [, type] = OBJECT_TEXT.exec(text) ?? [];
	if (type === undefined) return [];
	const reason =
		type === "Promise"
			? "a promise was used as a string. Wait for its value with await, or use the function whose name ends in Output."
			: "an object, such as a resource, was used as a string. Use one of its values: " +
				`pulumi.interpolate\`id-\${resource.name}\`.`;
	return [{ path, reason }];
}

/** Outputs, promises and resources are no maps: nothing in them may be read here. */
function isMap(value: unknown): value is object {
	if (typeof value !== "object" || value === null) return false;
	const prototype: unknown = Object.getPrototypeOf(value);
	// An object made in another realm, such as a test runner's sandbox, has another Object.prototype.
	return prototype === null || Object.getPrototypeOf(prototype) === null;
}
