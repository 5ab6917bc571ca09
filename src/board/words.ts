const MINUTE = 60_000;

/** A length of time: `45 s`, `12 min`, `3 h 05 min`, `2 d 4 h`. */
export function lengthWords(millis: number): string {
	const minutes = Math.round(millis / MINUTE);
	if (millis < MINUTE) return `${Math.max(0, Math.round(millis / 1_000))} s`;
	if (minutes < 60) return `${minutes} min`;
	if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, "0")} min`;
	return `${Math.floor(minutes / 1_440)} d ${Math.floor((minutes % 1_440) / 60)} h`;
}
