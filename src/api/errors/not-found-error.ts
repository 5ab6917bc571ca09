import { addressHint } from "./address-hint";
import { ApiError, type CallFacts } from "./api-error";

/** 404. Only one that comes `fromService` says anything about the object. */
export class NotFoundError extends ApiError {
	override readonly name = "NotFoundError";
	/**
	 * True for the service's own `{"message"}` reply. A proxy's or a wrong base URL's 404 is false and must
	 * never be read as "the object is gone".
	 */
	readonly fromService: boolean;

	constructor(call: CallFacts, status: number, serverMessage: string | undefined, fromService: boolean) {
		super(call, {
			why: whyOf(call, status, fromService),
			next: fromService && call.namesObject ? "Check the id or name and the team." : addressHint(call),
			received: false,
			status,
			serverMessage,
		});
		this.fromService = fromService;
	}
}

function whyOf({ teamName, namesObject }: CallFacts, status: number, fromService: boolean): string {
	if (!fromService)
		return `${status}, but not in the service's own form, so it may come from a proxy or a wrong base URL`;
	const what = namesObject ? "knows no such object in" : "has nothing at this address for";
	return `${status}, the service ${what} team "${teamName}"`;
}
