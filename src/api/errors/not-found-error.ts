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
			why: fromService
				? `${status}, the service knows no such object in team "${call.teamName}"`
				: `${status}, but not in the service's own form, so it may come from a proxy or a wrong base URL`,
			next: fromService ? "Check the id or name and the team." : addressHint(call),
			received: false,
			status,
			serverMessage,
		});
		this.fromService = fromService;
	}
}
