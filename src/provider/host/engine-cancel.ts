import { EventEmitter } from "node:events";

/** The call by which the engine tells a provider that the user wants the deployment to end. */
const CANCEL = "/pulumirpc.ResourceProvider/Cancel";

let signal: AbortSignal | undefined;

/**
 * Fires when the engine cancels the deployment (Ctrl-C). The dynamic host answers that call by itself and tells nobody,
 * so it is overheard at the process's own gRPC server. Where there is none to be found it never fires, and what waits
 * then ends by its own timeout.
 */
export function engineCancel(): AbortSignal {
	signal ??= overhear();
	return signal;
}

function overhear(): AbortSignal {
	const controller = new AbortController();
	const handles: unknown = Reflect.get(process, "_getActiveHandles")?.call(process);
	for (const handle of Array.isArray(handles) ? handles : []) {
		if (!(handle instanceof EventEmitter) || !("listening" in handle)) continue;
		handle.on("stream", (_stream: unknown, headers: Readonly<Record<string, unknown>> | undefined) => {
			if (headers?.[":path"] === CANCEL) controller.abort();
		});
	}
	return controller.signal;
}
