import type { CallFacts } from "./api-error";

export const CHECK_ADDRESS =
	"Check that the base URL (DATACHAIN_STUDIO_URL or datachain:baseUrl) is that of the service, and that no proxy answers for it.";

/** What to do where something answers that is not this API. */
export function addressHint({ baseUrl }: CallFacts): string {
	const url = baseUrl === undefined ? undefined : new URL(baseUrl);
	const path = url?.pathname.replace(/\/api$/, "") ?? "";
	if (url === undefined || path === "") return CHECK_ADDRESS;
	return `The path ${path} of the base URL looks wrong: set DATACHAIN_STUDIO_URL or datachain:baseUrl to ${url.origin} if the service is there.`;
}
