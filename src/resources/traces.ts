import { dirname, sep } from "node:path";
import * as pulumi from "@pulumi/pulumi";

type Format = typeof Error.prepareStackTrace;

/** Where this package's compiled files lie; the first frame below its own is the line that declares the resource. */
const HERE = dirname(__dirname) + sep;
const SDK = dirname(require.resolve("@pulumi/pulumi/package.json")) + sep;

/**
 * The SDK takes several stack traces for each resource, maps every frame back to its source, and stores the frames
 * in the state: with a thousand resources most of the program's own time, and hundreds of bytes in each. Only the
 * line that declares the resource says anything. Between this call and the one it returns, traces that the SDK
 * takes are cut to that line; errors keep all their frames, as they are formatted when somebody reads them.
 */
export function showDeclaringFrameOnly(): () => void {
	const usual = Error.prepareStackTrace;
	Error.prepareStackTrace = (error, sites) =>
		isTakenBySdk(sites)
			? `Error\n${cut(error, sites, usual).join("\n")}`
			: inUsualForm(error, sites, usual);
	return () => {
		Error.prepareStackTrace = usual;
	};
}

const isIn = (folder: string, site: NodeJS.CallSite | undefined): boolean =>
	site?.getFileName()?.startsWith(folder) === true;

const isTakenBySdk = (sites: readonly NodeJS.CallSite[]): boolean =>
	isIn(SDK, sites[0]) && sites.some((site) => isIn(HERE, site));

/** The SDK skips its own frames and one of ours by their number, so that many lines must stand above. */
function cut(error: Error, sites: readonly NodeJS.CallSite[], usual: Format): string[] {
	const ours = sites.findIndex((site) => isIn(HERE, site));
	const above = Array.from({ length: ours + 1 }, () => "    at pulumi-datachain");
	const declaring = sites.slice(ours).find((site) => !isIn(HERE, site));
	if (declaring === undefined) return above;
	const lines = String(inUsualForm(error, [declaring], usual)).split("\n");
	return [...above, lines.at(-1) ?? ""];
}

function inUsualForm(error: Error, sites: NodeJS.CallSite[], usual: Format): unknown {
	if (usual !== undefined) return usual(error, sites);
	return [String(error), ...sites.map((site) => `    at ${site}`)].join("\n");
}

/**
 * Stops the SDK from taking a stack trace for each promise of each property, eighty for one resource and most of its
 * time; only `PULUMI_DEBUG_PROMISE_LEAKS` shows them. The SDK takes the trace for the declaring line whatever the
 * limit is. Transformations are the user's code: if there are some, all errors keep their traces.
 */
export function takeNoTraces(opts: pulumi.ResourceOptions): () => void {
	if (process.env.PULUMI_DEBUG_PROMISE_LEAKS || isTransformed(opts))
		return () => undefined;
	const usual = Error.stackTraceLimit;
	Error.stackTraceLimit = 0;
	return () => {
		Error.stackTraceLimit = usual;
	};
}

/** An error that was made meanwhile, with the trace of this place in place of none. */
export function withTrace(error: unknown): unknown {
	if (error instanceof Error && !error.stack?.includes("\n    at "))
		Error.captureStackTrace(error, withTrace);
	return error;
}

/** A resource inherits its parent's transformations, or those of the stack. */
function isTransformed({
	parent,
	transformations = [],
}: pulumi.ResourceOptions): boolean {
	const from = parent ?? pulumi.runtime.getStackResource();
	const inherited: unknown = from && Reflect.get(from, "__transformations");
	return (
		transformations.length > 0 || (Array.isArray(inherited) && inherited.length > 0)
	);
}
