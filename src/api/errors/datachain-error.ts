/** Root of everything this client throws on purpose. Nothing here ever holds a token, a request or a reply. */
export abstract class DataChainError extends Error {
	abstract override readonly name: string;
}
