import type { JobRun } from "../../schemas/wire/pipeline";
import type { Call } from "../context";
import { holdSecrets } from "../shared/secrets";

export const runId = (run: JobRun): string => run.created_job_id ?? run.job_id ?? "";

/** A run is named for the dataset that it makes, which people are not told where datasets are secret. */
export const runName = (call: Pick<Call, "secrets">, run: JobRun): string | undefined =>
	holdSecrets(call, ["datasets"]) ? undefined : (run.name ?? undefined);

export const runLabel = (call: Pick<Call, "secrets">, run: JobRun): string =>
	runName(call, run) ?? runId(run);
