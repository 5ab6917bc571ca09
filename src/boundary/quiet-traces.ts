import * as pulumi from "@pulumi/pulumi";

/**
 * Stops the SDK from taking a stack trace for each promise of each property, eighty for one resource and most of its
 * time; only `PULUMI_DEBUG_PROMISE_LEAKS` shows them. The SDK takes the trace for the declaring line whatever the
 * limit is. Transformations are the user's code: where there are some, all errors keep their traces.
 */
export function takeNoTraces(opts: pulumi.ResourceOptions): () => void {
	if (process.env.PULUMI_DEBUG_PROMISE_LEAKS || isTransformed(opts)) return () => undefined;
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
function isTransformed({ parent, transformations = [] }: pulumi.ResourceOptions): boolean {
	const from = parent ?? pulumi.runtime.getStackResource();
	const inherited: unknown = from && Reflect.get(from, "__transformations");
	return transformations.length > 0 || (Array.isArray(inherited) && inherited.length > 0);
}
