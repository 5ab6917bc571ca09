/** A user's own namespace starts with @. White space, commas and further dots or @ are part of no name. */
const REFERENCE = /^(@?[^\s@.,]+\.[^\s@.,]+\.[^\s@.,]+)(?:@(.*))?$/s;
const VERSION = /^\d+\.\d+\.\d+$/;

/** A dataset as a program names it, `namespace.project.name` with an optional `@version`; undefined if it is none. */
export function parseDataset(text: string) {
	const [, fullName, version] = REFERENCE.exec(text) ?? [];
	if (fullName === undefined || (version !== undefined && !VERSION.test(version))) return undefined;
	return { fullName, version };
}

/** Why a text names no dataset, with what was probably meant; undefined if it does. */
export function datasetProblem(text: string): string | undefined {
	if (parseDataset(text) !== undefined) return undefined;
	const shown = JSON.stringify(text.slice(0, 200));
	if (REFERENCE.test(text)) {
		return `${shown} has no version that can be read: write three numbers, as in @1.0.2, or leave it out for the latest`;
	}
	return `${shown} is no dataset: write namespace.project.name, with an optional @version, as in dev.images.final_result@1.0.2`;
}

/**
 * Whether a pipeline's `triggered_from` names these datasets. The documents show it for one dataset only, so that of
 * several a part may be all that is shown; whatever is shown must be declared.
 */
export function isTriggeredFrom(shown: string | null | undefined, datasets: readonly string[]): boolean {
	const found = datasetsShown(shown);
	const declared = datasets.map(parseDataset);
	const isDeclared = (part: string) => {
		const live = parseDataset(part);
		return declared.some(
			(one) =>
				live !== undefined &&
				one?.fullName === live.fullName &&
				(one.version === undefined || live.version === undefined || one.version === live.version),
		);
	};
	return found.every(isDeclared) && (found.length === 1 || found.length === new Set(datasets).size);
}

/** Whether `triggered_from` names each of these datasets; a pipeline that shows only some of them may have others. */
export const isTriggeredFromAll = (shown: string | null | undefined, datasets: readonly string[]): boolean =>
	isTriggeredFrom(shown, datasets) && datasetsShown(shown).length === new Set(datasets).size;

/** The datasets in a pipeline's `triggered_from`. */
export const datasetsShown = (shown: string | null | undefined): string[] =>
	(shown ?? "").split(/[\s,]+/).filter((part) => part !== "");
