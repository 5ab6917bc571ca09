/**
 * Whose reading of an expression is meant. The service is written in Python, where croniter is usual, so its reading
 * counts; vixie is the cron of Unix, and croner stands for the others. Where they differ, nothing is declared.
 */
export type Scheduler = "croniter" | "vixie" | "croner";

export const SCHEDULERS: readonly Scheduler[] = ["croniter", "vixie", "croner"];
