export { CronError } from "./cron-error";
export { describeCron } from "./describe";
export { CRON_MACROS } from "./fields";
export { nextRuns } from "./next-runs";
export { isValidCron, type ParsedCron, parseCron, sameCron } from "./parse";
export { cronHint, suggestCron } from "./suggest";
