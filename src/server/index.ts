export type { TokenGrant } from "./auth";
export { type Clock, manualClock, systemClock } from "./clock";
export type { FaultKind, FaultRule, FaultTarget } from "./fault-rules";
export type { FaultSwitch } from "./faults";
export type { RequestEntry, RequestFilter, RequestLog } from "./request-log";
export {
	type LocalServer,
	type MakeRootPage,
	type RootPage,
	type RootPageServer,
	type ServerOptions,
	startServer,
} from "./start-server";
export type { Colleague, JobView, NewTeam, PipelineView, ScheduleView } from "./teams";
