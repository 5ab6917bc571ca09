export { clockChangeAhead, holdsUntil } from "./clock-change";
export { compileCron, type DeclaredCron, needsCompiling } from "./compile";
export { AmbiguousCronError, CronError } from "./cron-error";
export { describeCron, tryDescribeCron } from "./describe";
export { CRON_MACROS, normalizeCron } from "./fields";
export { nextRuns } from "./next-runs";
export { isReadableCron, isValidCron, type ParsedCron, parseCron, parseLiveCron, sameCron } from "./parse";
export { usesSpread } from "./spread";
export { cronHint, suggestCron } from "./suggest";
