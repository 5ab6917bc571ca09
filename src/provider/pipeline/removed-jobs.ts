import type { Props } from "../handler";
import { isHashOf, isSalted, saltedHash } from "../shared/salted-hash";

/** The jobs that were taken out of a pipeline, as its state remembers them: by their names, or by hashes of secret ones. */
export const removedIn = ({ removedJobs }: Props): string[] =>
	Array.isArray(removedJobs) ? removedJobs.map(String) : [];

export const withoutName = (job: string): string => (isSalted(job) ? job : saltedHash(job));

export const isAmong = (removed: Iterable<string>, job: string): boolean =>
	[...removed].some((stored) => isHashOf(stored, job));
