export type { TokenGrant } from "./auth";
export { type Clock, manualClock, systemClock } from "./clock";
export type { FaultKind, FaultRule, FaultSwitch, FaultTarget } from "./faults";
export type { RequestEntry, RequestFilter, RequestLog } from "./request-log";
export { type LocalServer, pageUrl, type ServerOptions, startServer } from "./start-server";
export type { Colleague, JobView, NewTeam, PipelineView, ScheduleView } from "./teams";
