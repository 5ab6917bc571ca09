import { type Attack, JSON_TYPE, request, type Target } from "./attack";

/** How long the server under attack waits; its users' default is 30 seconds, which nobody has here. */
export const PATIENCE_MILLIS = 2_000;

/** Clients that take their time, to keep a connection and what hangs on it. */
export function slowAttacks(target: Target): Attack[] {
	const drip = (text: string, pause: number) => [...text].flatMap((char) => [char, pause]);
	const head = `POST /api/datachain/jobs/ HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${target.token}\r\n${JSON_TYPE}\r\n`;
	const upload = request(target, "POST", "/api/datachain/jobs/files", {
		headers: ["Content-Type: multipart/form-data; boundary=XX", "Content-Length: 100000"],
	});
	return [
		{ name: "headers that never end", pieces: ["GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n"], status: 408 },
		{
			name: "headers a character at a time",
			pieces: drip(`GET / HTTP/1.1\r\nX: ${"y".repeat(100)}`, 60),
			status: 408,
		},
		{ name: "a body that never comes", pieces: [`${head}Content-Length: 50\r\n\r\n`], status: 408 },
		{
			name: "a body a character at a time",
			pieces: [`${head}Content-Length: 500\r\n\r\n`, ...drip("{".repeat(100), 60)],
			status: 408,
		},
		{
			name: "chunks a byte at a time",
			pieces: [
				`${head}Transfer-Encoding: chunked\r\n\r\n`,
				...Array.from({ length: 100 }, () => ["1\r\n{\r\n", 60]).flat(),
			],
			status: 408,
		},
		{
			name: "an upload that stops",
			pieces: [...upload, '--XX\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nx'],
			status: 408,
		},
	];
}
