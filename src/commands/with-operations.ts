import { createClient, leftOut } from "../client";
import { withoutRequest } from "../client/errors";
import { READ_BACK_DELAYS, ReadBackLags, realTime } from "../client/read-back";
import type { OperationContext } from "../operations/context";
import { unsharedLists } from "../operations/lists";
import { noticeLongWaits } from "../operations/rate-limit";
import { type Session, type TeamOptions, withSession } from "./session";
import { say } from "./terminal";

/** Works with what the operations need. Their client goes on after Ctrl-C, so that it can end what was started. */
export const withOperations = (
	options: TeamOptions,
	work: (session: Session, context: OperationContext) => Promise<void>,
): Promise<void> =>
	withSession(options, async (session) => {
		const notice = eachOnce(say);
		const client = createClient(session.connection, {
			onUnreadable: (info) => notice(leftOut(info)),
			onRetry: noticeLongWaits(notice),
		});
		const context = {
			client,
			lists: unsharedLists(client),
			time: realTime,
			readBackDelays: READ_BACK_DELAYS,
			lags: new ReadBackLags(),
			interrupt: session.interrupt,
			notice,
			line: say,
		};
		try {
			await work(session, context);
		} finally {
			await client.close();
		}
	});

function eachOnce(show: (text: string) => void): (text: string) => void {
	const before = new Set<string>();
	return (text) => {
		const key = withoutRequest(text);
		if (before.has(key)) return;
		before.add(key);
		show(text);
	};
}
