import type { RequestOf } from "../schemas/wire/endpoints";
import type { Caller } from "./caller";
import type { CallOptions } from "./options";

/** Pipeline schedules. */
export const scheduleCalls = (caller: Caller) => ({
	/** Repeated only where the request surely did nothing; look at `error.received` after a failure. */
	create: (input: RequestOf<"createSchedule">, options?: CallOptions) =>
		caller.call("createSchedule", input, options),
	/** Fields left out stay as they are. */
	update: (input: RequestOf<"updateSchedule">, options?: CallOptions) =>
		caller.call("updateSchedule", input, options),
	delete: (input: RequestOf<"deleteSchedule">, options?: CallOptions) =>
		caller.call("deleteSchedule", input, options),
	get: (query: RequestOf<"getSchedule">, options?: CallOptions) => caller.call("getSchedule", query, options),
	list: (query: RequestOf<"listSchedules"> = {}, options?: CallOptions) =>
		caller.call("listSchedules", query, options),
});
