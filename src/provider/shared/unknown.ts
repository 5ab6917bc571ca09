/**
 * How Pulumi spells a value that is not known before the deployment. The host hands it over as this plain string.
 * Written out here because the provider process runs without the SDK's runtime.
 */
export const UNKNOWN = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

export const isUnknown = (value: unknown): boolean => value === UNKNOWN;

/** True where the value or anything inside it is not known yet. */
export function containsUnknown(value: unknown): boolean {
	if (isUnknown(value)) return true;
	return typeof value === "object" && value !== null && Object.values(value).some(containsUnknown);
}
