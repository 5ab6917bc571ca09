/** The code of a system's error, which unlike its message names no path and no user. */
export const errorCode = (error: unknown, otherwise = "unknown"): string =>
	error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : otherwise;
