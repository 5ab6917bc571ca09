export { AmbiguousCronError, CronError } from "./cron-error";
export { describeCron, tryDescribeCron } from "./describe";
export { CRON_MACROS } from "./fields";
export { nextRuns } from "./next-runs";
export { normalizeCron } from "./normalize";
export { isReadableCron, isValidCron, type ParsedCron, parseCron, parseLiveCron, sameCron } from "./parse";
export { cronHint, suggestCron } from "./suggest";
