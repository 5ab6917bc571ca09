import { Board } from "./board";
import { BOARD_PATHS, boardUrl, handle, keyOfToken } from "./http";

/** What the board asks of a local server that has it at its root. */
interface BoardServer {
	readonly token: string;
	readonly teamName: string;
	readonly host: string;
	url(): string;
	now(): number;
	revision(): number;
}

/** The address of the board at the root of a server, for whoever has the server's token. */
export const rootPageUrl = (url: string, token: string): string =>
	boardUrl(url, keyOfToken(token));

/** The board as the page of a local server. It asks the server over HTTP, as it asks the real service. */
export function boardAtRoot({
	token,
	teamName,
	host,
	url,
	now,
	revision,
}: BoardServer) {
	// The page never gets the token: its key only follows from it.
	const access = { key: keyOfToken(token), host };
	let opened: Board | undefined;
	const board = (): Board => {
		// With the revision, because whoever tries things out wants to see them at once.
		opened ??= new Board(
			{ baseUrl: `${url()}/api`, token, teamName },
			{ service: url(), now, revision },
		);
		return opened;
	};
	return {
		paths: BOARD_PATHS,
		respond: (request: Request): Promise<Response> => handle(board, access, request),
		close: async () => opened?.close(),
	};
}
