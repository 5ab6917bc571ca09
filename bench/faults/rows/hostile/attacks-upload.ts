import { type Attack, request, type Target } from "./attack";

const TYPE = "multipart/form-data; boundary=XX";
const part = (disposition: string, content = "x", extra = ""): string =>
	`--XX\r\nContent-Disposition: form-data; ${disposition}\r\n${extra}\r\n${content}\r\n`;
const file = (name: string): string => part(`name="file"; filename="${name}"`);
const whole = (...parts: string[]): string => `${parts.join("")}--XX--\r\n`;

/** File names that would mean another place, or add a line somewhere. */
const NAMES: readonly [string, string][] = [
	["a path upwards", "../../etc/passwd"],
	["an absolute path", "/etc/passwd"],
	["a Windows path", "..\\\\..\\\\windows\\\\system.ini"],
	["a Windows drive", "C:\\\\x"],
	["a path with dots doubled", "....//....//x"],
	["a mixed path", "..\\\\/x"],
	["dots for a name", ".."],
	["one dot for a name", "."],
	["a NUL in it", "a\u0000.py"],
	["a line break in it", "a\r\nX-Injected: 1"],
	["a bare line feed in it", "a\nb"],
	["a bare carriage return in it", "a\rb"],
	["an escape sequence in it", "\u001b[2Ja"],
	["nothing in it", ""],
	["256 bytes", "n".repeat(256)],
	["1 MB", "n".repeat(1024 * 1024)],
];

/** Uploads that say one thing and mean another. */
export function uploadAttacks(target: Target): Attack[] {
	const upload = (name: string, body: string | Buffer, type = TYPE, status?: number): Attack => ({
		name: `an upload with ${name}`,
		pieces: request(target, "POST", "/api/datachain/jobs/files", {
			headers: [`Content-Type: ${type}`],
			body,
		}),
		...(status === undefined ? {} : { status }),
	});
	return [
		...NAMES.map(([what, name]) => upload(`${what} as its name`, whole(file(name)), TYPE, 400)),
		upload("an encoded path", whole(part("name=\"file\"; filename*=UTF-8''..%2F..%2Fx"))),
		upload("an encoded line break", whole(part("name=\"file\"; filename*=UTF-8''a%0d%0aX: 1"))),
		upload("an encoded NUL", whole(part("name=\"file\"; filename*=UTF-8''a%00b"))),
		upload("a name that is not UTF-8", Buffer.from(whole(file("a\u00ff\u00feb")), "latin1")),
		upload("two names, one of them a path", whole(part('name="file"; filename="a"; filename="../b"'))),
		upload(
			"a path hidden behind a plain name",
			whole(part('name="file"; filename="a"; filename*=UTF-8\'\'..%2Fb')),
		),
		upload("two files", whole(file("a"), file("b"))),
		upload("a file and a text, both named file", whole(part('name="file"', "text"), file("a"))),
		upload("a text and a file, both named file", whole(file("a"), part('name="file"', "text"))),
		upload("another part's name", whole(part('name="other"; filename="a"'))),
		upload("__proto__ for the part's name", whole(part('name="__proto__"; filename="a"'))),
		upload("no part", whole()),
		upload("no end", file("a")),
		upload("half an end", `${file("a")}--XX-`),
		upload("no boundary in its type", whole(file("a")), "multipart/form-data"),
		upload("an empty boundary", whole(file("a")), "multipart/form-data; boundary="),
		upload("another boundary than announced", whole(file("a")).replaceAll("XX", "YY")),
		upload("two boundaries announced", whole(file("a")).replaceAll("XX", "YY"), `${TYPE}; boundary=YY`),
		upload("a boundary of 20,000 characters", "x", `multipart/form-data; boundary=${"b".repeat(20_000)}`),
		upload("multipart/mixed", whole(file("a")), "multipart/mixed; boundary=XX"),
		upload(
			"a part header of 1 MB",
			whole(part('name="file"; filename="a"', "x", `X-A: ${"y".repeat(1024 * 1024)}\r\n`)),
		),
		upload(
			"ten thousand part headers",
			whole(part('name="file"; filename="a"', "x", "X: y\r\n".repeat(10_000))),
		),
		upload("ten thousand texts before the file", whole(part('name="t"').repeat(10_000), file("a"))),
		upload("no header in the part", "--XX\r\n\r\nx\r\n--XX--\r\n"),
		upload("no disposition in the part", "--XX\r\nContent-Type: text/plain\r\n\r\nx\r\n--XX--\r\n"),
		upload("a file over the limit", whole(part('name="file"; filename="a"', "x".repeat(70_000))), TYPE, 413),
		upload("nothing at all", "", TYPE),
		{
			name: "an upload that ends early",
			pieces: [
				`POST /api/datachain/jobs/files HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${target.token}\r\nContent-Type: ${TYPE}\r\nContent-Length: 900\r\n\r\n`,
				file("a"),
			],
		},
		{
			name: "an upload for another team",
			pieces: request(target, "POST", "/api/datachain/jobs/files?team_name=vision", {
				headers: [`Content-Type: ${TYPE}`],
				body: whole(file("a")),
				token: target.otherToken,
			}),
			status: 403,
		},
	];
}
