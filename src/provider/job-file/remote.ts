const MAX_BYTES = 256 * 1024 * 1024;
const TIMEOUT_MILLIS = 30_000;

/** Downloads a remote asset. No token is sent: the address is the user's, not the service's. */
export async function fetchRemote(uri: string): Promise<Uint8Array> {
	const where = withoutSecrets(uri);
	const reply = await fetch(uri, { signal: AbortSignal.timeout(TIMEOUT_MILLIS) }).catch((error: unknown) => {
		throw new Error(
			`Could not download ${where}: ${error instanceof Error ? error.message : "the request failed"}.`,
		);
	});
	if (!reply.ok || reply.body === null)
		throw new Error(`Could not download ${where}: the server answered ${reply.status}.`);
	const chunks: Uint8Array[] = [];
	let size = 0;
	for await (const chunk of reply.body) {
		size += chunk.byteLength;
		if (size > MAX_BYTES) {
			throw new Error(
				`${where} is larger than ${MAX_BYTES / 1024 / 1024} MiB. Download it first and use its path.`,
			);
		}
		chunks.push(chunk);
	}
	return Buffer.concat(chunks);
}

/** Presigned addresses carry their credentials in the query, others in the user part. */
function withoutSecrets(uri: string): string {
	const url = new URL(uri);
	return `${url.protocol}//${url.host}${url.pathname}`;
}
