/** A user's own namespace starts with @. White space, commas and further dots or @ are part of no name. */
const REFERENCE = /^(@?[^\s@.,]+\.[^\s@.,]+\.[^\s@.,]+)(?:@(.*))?$/s;
const VERSION = /^\d+\.\d+\.\d+$/;

/** A dataset as a program names it, `namespace.project.name` with an optional `@version`; undefined if it is none. */
export function parseDataset(text: string) {
	const [, fullName, version] = REFERENCE.exec(text) ?? [];
	if (fullName === undefined || (version !== undefined && !VERSION.test(version)))
		return undefined;
	return { fullName, version };
}

/** Why a text names no dataset, with what was probably meant; undefined if it does. */
export function datasetProblem(text: string): string | undefined {
	const quoted = JSON.stringify(text.slice(0, 200));
	const [, scheme, rest] = /^(\w+:\/\/)(.*)$/s.exec(text) ?? [];
	if (scheme !== undefined)
		return `${quoted} is a URI, and a dataset has a name: write ${JSON.stringify(rest)}`;
	if (parseDataset(text) !== undefined) return undefined;
	if (REFERENCE.test(text)) {
		return `${quoted} has no version that can be read: write three numbers, as in @1.0.2, or leave it out for the latest`;
	}
	return `${quoted} is no dataset: write namespace.project.name, with an optional @version, as in dev.images.final_result@1.0.2`;
}

/**
 * Whether a pipeline's `triggered_from` names these datasets. The documents show it for one dataset only, so that of
 * several a part may be all that is shown; whatever is shown must be declared.
 */
export function isTriggeredFrom(
	triggeredFrom: string | null | undefined,
	datasets: readonly string[],
): boolean {
	const datasetsOnService = datasetsShown(triggeredFrom);
	const declared = datasets.map(parseDataset);
	const isDeclared = (part: string) => {
		const live = parseDataset(part);
		return declared.some(
			(one) =>
				live !== undefined &&
				one?.fullName === live.fullName &&
				(one.version === undefined ||
					live.version === undefined ||
					one.version === live.version),
		);
	};
	return (
		datasetsOnService.every(isDeclared) &&
		(datasetsOnService.length === 1 ||
			datasetsOnService.length === new Set(datasets).size)
	);
}

/** Whether `triggered_from` names each of these datasets; a pipeline that shows only some of them may have others. */
export const isTriggeredFromAll = (
	triggeredFrom: string | null | undefined,
	datasets: readonly string[],
): boolean =>
	isTriggeredFrom(triggeredFrom, datasets) &&
	datasetsShown(triggeredFrom).length === new Set(datasets).size;

/** The datasets in a pipeline's `triggered_from`. */
export const datasetsShown = (triggeredFrom: string | null | undefined): string[] =>
	(triggeredFrom ?? "").split(/[\s,]+/).filter((part) => part !== "");
