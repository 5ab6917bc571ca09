import { type Attack, request, type Target } from "./attack";

const UPGRADE = ["Connection: Upgrade", "Upgrade: websocket"];
const KEY = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==";
const VERSION = "Sec-WebSocket-Version: 13";
const PATH = "/api/logs/follow/?job_id=x";

/** Handshakes for the log WebSocket that must not succeed. */
export function handshakeAttacks(target: Target): Attack[] {
	const shake = (
		name: string,
		headers: string[],
		path = PATH,
		token = target.token,
		method = "GET",
	): Attack => ({
		name: `a WebSocket handshake ${name}`,
		pieces: request(target, method, path, { headers, token }),
	});
	return [
		shake("without a key", [...UPGRADE, VERSION]),
		shake("with a short key", [...UPGRADE, VERSION, "Sec-WebSocket-Key: abc"]),
		shake("with two keys", [...UPGRADE, VERSION, KEY, "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=="]),
		shake("with a line break in the key", [
			...UPGRADE,
			VERSION,
			"Sec-WebSocket-Key: dGhlIHNhbXBs\r\n ZSBub25jZQ==",
		]),
		shake("of an old version", [...UPGRADE, KEY, "Sec-WebSocket-Version: 7"]),
		shake("of a version from the future", [...UPGRADE, KEY, "Sec-WebSocket-Version: 99999999999"]),
		shake("by POST", [...UPGRADE, KEY, VERSION], PATH, target.token, "POST"),
		shake("to another protocol", ["Connection: Upgrade", "Upgrade: h2c", "HTTP2-Settings: AAA"]),
		shake("with broken protocols", [...UPGRADE, KEY, VERSION, "Sec-WebSocket-Protocol: a,,b c"]),
		shake("elsewhere", [...UPGRADE, KEY, VERSION], "/api/datachain/clusters/"),
		shake("with dots in its path", [...UPGRADE, KEY, VERSION], "/api/logs/../logs/follow/?job_id=x"),
		shake("with a wrong token", [...UPGRADE, KEY, VERSION], PATH, "wrong"),
		shake("for another team", [...UPGRADE, KEY, VERSION], `${PATH}&team_name=vision`, target.otherToken),
		shake("with a huge job id", [...UPGRADE, KEY, VERSION], `/api/logs/follow/?job_id=${"x".repeat(40_000)}`),
	];
}

/** A good handshake, and then bytes that no client sends. The server must hang up, and stay up. */
export function frameAttacks(target: Target, jobId: string): Attack[] {
	const hello = request(target, "GET", `/api/logs/follow/?job_id=${jobId}`, {
		headers: [...UPGRADE, KEY, VERSION],
	});
	const frames: [string, Buffer][] = [
		["an unmasked frame", Buffer.from([0x81, 0x02, 0x68, 0x69])],
		["a reserved opcode", Buffer.from([0x83, 0x80, 0, 0, 0, 0])],
		["reserved bits", Buffer.from([0xf1, 0x80, 0, 0, 0, 0])],
		["text that is not UTF-8", Buffer.from([0x81, 0x82, 0, 0, 0, 0, 0xff, 0xfe])],
		["a frame of 2^62 bytes", Buffer.from([0x82, 0xff, 0x40, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])],
		[
			"a frame over the limit",
			Buffer.concat([Buffer.from([0x82, 0xff, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0]), Buffer.alloc(131_072)]),
		],
		[
			"a ping of 200 bytes",
			Buffer.concat([Buffer.from([0x89, 0xfe, 0, 200, 0, 0, 0, 0]), Buffer.alloc(200)]),
		],
		["a continuation of nothing", Buffer.from([0x80, 0x80, 0, 0, 0, 0])],
		["a close with half a code", Buffer.from([0x88, 0x81, 0, 0, 0, 0, 3])],
		["a close with a code nobody may send", Buffer.from([0x88, 0x82, 0, 0, 0, 0, 0x03, 0xed])],
	];
	return frames.map(([name, bytes]) => ({ name: `WebSocket: ${name}`, pieces: [...hello, 20, bytes] }));
}
