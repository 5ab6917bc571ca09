export type { TokenGrant } from "./auth";
export { type Clock, manualClock, systemClock } from "./clock";
export type { FaultKind, FaultRule, FaultSwitch, FaultTarget } from "./faults";
export {
	type LocalServer,
	pageUrl,
	type RequestEntry,
	type RequestFilter,
	type RequestLog,
	type ServerOptions,
	startServer,
} from "./start-server";
export type { Colleague, JobView, NewTeam, PipelineView, ScheduleView } from "./teams";
