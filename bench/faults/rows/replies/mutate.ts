import type { Random } from "../../random";

/** How the content of a reply is spoilt. */
export const CONTENT_KINDS = [
	"type changed",
	"field missing",
	"field null",
	"huge number",
	"prototype key",
	"deep nesting",
	"long text",
	"long list",
	"invalid UTF-8",
	"lone surrogate",
	"byte flipped",
	"cut off",
	"not JSON",
	"ok false",
	"echo in a field",
] as const;
export type ContentKind = (typeof CONTENT_KINDS)[number];

/** What JSON.stringify cannot write: it goes in as a marked text and is put in its place afterwards. */
const RAW = "@raw@";

const OTHER_VALUES: readonly [unknown, ...unknown[]] = [
	null,
	true,
	false,
	0,
	-1,
	1.5,
	"",
	"text",
	[],
	{},
	[[]],
	[null],
	{ a: { b: 1 } },
	"\u0000\u001b[31m\u2028",
	"constructor",
];

const NUMBERS: readonly [string, ...string[]] = [
	"1e400",
	"-1e400",
	"9007199254740993",
	"99999999999999999999999999",
	"1e308",
	"-0",
	"0.1e-400",
	"1".repeat(5_000),
];

const PROTOTYPE_KEYS: readonly [string, ...string[]] = [
	`"__proto__":{"polluted":true,"toString":1,"ok":true}`,
	`"constructor":{"prototype":{"polluted":true}}`,
	`"__proto__":null`,
	`"__proto__":[]`,
	`"prototype":{"polluted":true},"hasOwnProperty":1,"toString":null,"valueOf":0,"then":{}`,
	`"toJSON":{"__proto__":{"polluted":true}}`,
];

const BAD_UTF8 = [
	Buffer.from([0xff]),
	Buffer.from([0xc0, 0x80]),
	Buffer.from([0xed, 0xa0, 0x80]),
	Buffer.from([0xf4, 0x90, 0x80, 0x80]),
	Buffer.from([0xe2, 0x28, 0xa1]),
] as const;

/** Bytes that stand where the valid reply would. `echo` is what of the request the reply may repeat. */
export function spoil(kind: ContentKind, valid: unknown, random: Random, echo: string): Buffer {
	const bytes = () => Buffer.from(JSON.stringify(valid));
	switch (kind) {
		case "type changed":
			return replaceSome(valid, random, () => JSON.stringify(random.pick(OTHER_VALUES)));
		case "field null":
			return replaceSome(valid, random, () => "null");
		case "huge number":
			return replaceSome(valid, random, () => random.pick(NUMBERS));
		case "deep nesting":
			return replaceSome(valid, random, () => nested(random.integer(500, 20_000), random));
		case "long text":
			return replaceSome(valid, random, () => `"${"x".repeat(random.integer(1_000, 200_000))}"`);
		case "lone surrogate":
			return replaceSome(valid, random, () => `"a\\ud800b"`);
		case "echo in a field":
			return replaceSome(valid, random, () => JSON.stringify(echo));
		case "field missing":
			return removeSome(valid, random);
		case "prototype key":
			return addKeys(valid, random);
		case "long list":
			return Buffer.from(JSON.stringify(Array.from({ length: random.integer(10, 200) }, () => valid)));
		case "invalid UTF-8":
			return insert(bytes(), random, random.pick(BAD_UTF8));
		case "byte flipped":
			return flip(bytes(), random);
		case "cut off":
			return bytes().subarray(0, random.integer(0, bytes().length - 1));
		case "not JSON":
			return Buffer.from(
				random.pick(["", " ", "null", "NaN", "undefined", "﻿{}", "{}{}", "<html>", "'a'", "0"]),
			);
		case "ok false":
			return Buffer.from(JSON.stringify({ ok: false, message: echo }));
	}
}

type Container = Record<string, unknown> | unknown[];

const isContainer = (value: unknown): value is Container => typeof value === "object" && value !== null;

function containersOf(value: unknown): Container[] {
	return isContainer(value) ? [value, ...Object.values(value).flatMap(containersOf)] : [];
}

/** One to three values anywhere in the reply, or all of it. */
function replaceSome(valid: unknown, random: Random, make: () => string): Buffer {
	if (random.chance(0.05)) return Buffer.from(make());
	const copy: unknown = structuredClone(valid);
	const raws: string[] = [];
	for (let times = random.integer(1, 3); times > 0; times -= 1) {
		const inside = random.pick(containersOf(copy));
		const key = inside && random.pick(Object.keys(inside));
		if (inside === undefined || key === undefined) continue;
		Reflect.set(inside, key, `${RAW}${raws.push(make()) - 1}`);
	}
	return write(copy, raws);
}

function removeSome(valid: unknown, random: Random): Buffer {
	const copy: unknown = structuredClone(valid);
	for (let times = random.integer(1, 4); times > 0; times -= 1) {
		const inside = random.pick(containersOf(copy));
		const key = inside && random.pick(Object.keys(inside));
		if (inside === undefined || key === undefined) continue;
		if (Array.isArray(inside)) inside.splice(Number(key), 1);
		else Reflect.deleteProperty(inside, key);
	}
	return write(copy, []);
}

/** Keys that mean something to JavaScript; written as text, because assigning `__proto__` would not make a key. */
function addKeys(valid: unknown, random: Random): Buffer {
	const copy: unknown = structuredClone(valid);
	const objects = containersOf(copy).filter((value) => !Array.isArray(value));
	const inside = random.pick(objects);
	if (inside === undefined) return Buffer.from(`{${random.pick(PROTOTYPE_KEYS)}}`);
	Reflect.set(inside, RAW, 0);
	return Buffer.from(JSON.stringify(copy).replace(`"${RAW}":0`, () => random.pick(PROTOTYPE_KEYS)));
}

function nested(depth: number, random: Random): string {
	return random.chance(0.5)
		? "[".repeat(depth) + "]".repeat(depth)
		: `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
}

function write(copy: unknown, raws: readonly string[]): Buffer {
	const text = JSON.stringify(copy) ?? "null";
	return Buffer.from(text.replace(/"@raw@(\d+)"/g, (_, index: string) => raws[Number(index)] ?? "null"));
}

function insert(bytes: Buffer, random: Random, extra: Buffer): Buffer {
	const place = random.integer(0, bytes.length);
	return Buffer.concat([bytes.subarray(0, place), extra, bytes.subarray(place)]);
}

function flip(bytes: Buffer, random: Random): Buffer {
	for (let times = random.integer(1, 4); times > 0; times -= 1) {
		bytes[random.integer(0, bytes.length - 1)] = random.integer(0, 255);
	}
	return bytes;
}
