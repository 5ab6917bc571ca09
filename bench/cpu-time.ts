import { statFields } from "../tools/process/proc";

/** Linux counts process times in hundredths of a second on every architecture. */
const tickMs = 10;

/** User and system time of all children that have ended, and of theirs; undefined without /proc. */
export function endedChildrenMs(): number | undefined {
	const fields = statFields(process.pid);
	return fields && (Number(fields[13]) + Number(fields[14])) * tickMs;
}
