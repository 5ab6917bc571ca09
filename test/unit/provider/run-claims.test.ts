import { spawnSync } from "node:child_process";
import {
	appendFileSync,
	chmodSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	truncateSync,
	utimesSync,
	writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { Claims, type ObjectRef } from "../../../src/provider/claims";
import { engineAddress, RunClaims } from "../../../src/provider/run-claims";
import { testFolder } from "../../helpers/test-folder";

const ENGINE = "127.0.0.1:4711";
const SERVICE = "https://studio.example.com/api";
const A = "urn A";
const B = "urn B";
const nightly: ObjectRef = { kind: "PipelineSchedule", team: "ml", id: "7" };
const slot = { kind: "PipelineSchedule", team: "ml", name: "a", folded: "a" } as const;

let root: string;
let notices: string[];

/** A provider process of the run. */
const host = (engine = ENGINE, service = SERVICE): { claims: Claims; run: RunClaims | undefined } => {
	const run = RunClaims.open(engine, service, (text) => notices.push(text), root);
	onTestFinished(() => run?.close());
	return { claims: new Claims(run), run };
};
/** The files of runs. */
const files = () =>
	readdirSync(root).flatMap((user) => readdirSync(join(root, user)).map((name) => join(root, user, name)));

beforeEach(() => {
	root = testFolder("run-claims-");
	notices = [];
	onTestFinished(() => chmodSync(root, 0o700));
});

describe("two processes of one engine run", () => {
	let one: Claims;
	let two: Claims;
	beforeEach(() => {
		[one, two] = [host().claims, host().claims];
	});

	it("see what the other holds, with the slot that its holder declares", () => {
		one.declare(A, slot);
		one.take(A, nightly);
		expect(two.of(nightly)).toMatchObject({ is: "held", by: A, since: "run", elsewhere: true });
		expect(two.holder(nightly)).toBe(A);
		const no = { adopts: false, adoptsEqual: false, persists: false };
		const ask = { urn: B, slot, to: "make", inputs: {}, ...no } as const;
		const found = { id: "7", live: undefined, empty: false, equal: true, fits: true, blocked: null };
		const row = { ...found, sure: true, claim: two.of(nightly) };
		expect(two.occupants(ask, [row])).toMatchObject([{ moves: false, sure: true }]);
		expect(two.occupants({ ...ask, slot: { ...slot, name: "b", folded: "b" } }, [row])).toMatchObject([
			{ moves: true },
		]);
	});

	it("declare a slot once, until the first resource declares another one", () => {
		const other = { ...slot, name: "b", folded: "b" };
		expect([one.declare(A, slot), two.declare(B, { ...slot, name: "A" }), two.declare(B, other)]).toEqual([
			undefined,
			A,
			undefined,
		]);
		expect([one.declare(A, other), one.declare(A, slot), two.declare(B, slot)]).toEqual([B, undefined, A]);
		one.declare(A, undefined);
		expect([two.declare(B, slot), one.declare(A, slot)]).toEqual([undefined, B]);
	});

	it("declare one resource in both, and a slot whose name is the id of an object that the other holds", () => {
		one.declare(A, slot);
		expect(two.declare(A, slot)).toBeUndefined();
		one.take(A, nightly);
		expect(two.declare(B, { ...slot, name: "7", folded: "7" })).toBeUndefined();
	});

	it("take an object once", () => {
		expect(one.take(A, nightly)).toBe(true);
		const asked = [two.take(B, nightly), two.keep(B, nightly), two.release(B, nightly)];
		expect(asked).toEqual([false, false, false]);
		const [file = ""] = files();
		const text = readFileSync(file, "utf8");
		expect(text).not.toContain(B);
		// Both wrote at once, and this line came second.
		appendFileSync(file, `${text.trim().split("\n").at(-1)?.replace(/\w+"/, '0"').replace(A, B)}\n`);
		expect([one.holder(nightly), two.holder(nightly)]).toEqual([A, A]);
		expect(one.of(nightly)).not.toHaveProperty("elsewhere");
	});

	it("see a delete begin, end and fail, and do not take what is being deleted", async () => {
		await one.end(nightly, async () => {
			expect(two.of(nightly)).toMatchObject({ is: "releasing", by: "", started: true });
			expect(two.take(B, nightly)).toBe(false);
		});
		expect(two.of(nightly)).toMatchObject({ is: "released" });
		expect(two.take(B, nightly)).toBe(true);
		const other = { ...nightly, id: "8" };
		await one.end(other, () => Promise.reject(new Error("no"))).catch(() => undefined);
		expect(two.of(other)).toMatchObject({ is: "stuck" });
		const removed = vi.fn(async () => {});
		expect(await two.end(other, removed)).toBeUndefined();
		expect(removed).toHaveBeenCalled();
	});

	it("see what the other's refresh read from the state, and may take it, and what it is to delete", () => {
		one.readFor(A, nightly, true);
		expect(two.of(nightly)).toMatchObject({ is: "ours" });
		expect(two.take(B, nightly)).toBe(true);
		expect(one.holder(nightly)).toBe(B);
		one.release(A, { ...nightly, id: "8" });
		expect(two.take(B, { ...nightly, id: "8" })).toBe(true);
	});

	it("answer the same claim for as long as it does not change", () => {
		one.take(A, nightly);
		const before = two.of(nightly);
		expect(two.of(nightly)).toBe(before);
		one.settle(nightly, "done");
		expect(two.of(nightly)).not.toBe(before);
		expect(two.of(nightly)).toMatchObject({ written: "done" });
	});
});

describe("claims are not seen", () => {
	it("by another engine run", () => {
		host().claims.take(A, nightly);
		expect(host("127.0.0.1:4712").claims.of(nightly)).toEqual({ is: "foreign" });
	});

	it("of an object of another service, team or kind", () => {
		const { claims } = host();
		claims.take(A, nightly);
		expect(host(ENGINE, "https://other.example.com/api").claims.of(nightly)).toEqual({ is: "foreign" });
		expect(host().claims.of({ ...nightly, team: "x" })).toEqual({ is: "foreign" });
		expect(host().claims.of({ ...nightly, kind: "Job" })).toEqual({ is: "foreign" });
	});

	it("after the process that made them has ended", () => {
		const { claims, run } = host();
		claims.take(A, nightly);
		const [file = ""] = files();
		const text = readFileSync(file, "utf8");
		run?.close();
		const asIfBy = (pid: number, start: number) =>
			writeFileSync(file, text.replaceAll(/"\d+-\d+-\w+"/g, `"${pid}-${start}-00000000"`));
		asIfBy(spawnSync(process.execPath, ["-e", ""]).pid, 0);
		expect(host().claims.of(nightly)).toEqual({ is: "foreign" });
		expect(host().claims.take(B, nightly)).toBe(true);
		// The same process id, given to a process that started at another time.
		for (const start of process.platform === "linux" ? [0, 1] : [1]) {
			asIfBy(process.ppid, start);
			expect(host().claims.of(nightly)).toEqual({ is: "foreign" });
		}
	});

	it.runIf(process.platform === "linux")("names its process by id and start, as the system tells it", () => {
		host().claims.take(A, nightly);
		const [start] = /\) (?:\S+ ){19}(\d+)/.exec(readFileSync("/proc/self/stat", "utf8"))?.slice(1) ?? [];
		expect(readFileSync(files()[0] ?? "", "utf8")).toContain(`"${process.pid}-${start}-`);
	});
});

describe("the file of a run", () => {
	it("is this user's alone, and shows neither team nor object", () => {
		const { claims } = host();
		claims.declare(A, { ...slot, team: "secret-team", name: "secret-name", folded: "secret-name" });
		claims.take(A, { ...nightly, team: "secret-team", id: "secret-id" });
		const [file = ""] = files();
		expect([statSync(join(file, "..")).mode & 0o777, statSync(file).mode & 0o777]).toEqual([0o700, 0o600]);
		expect(file + readFileSync(file, "utf8")).not.toMatch(/secret/);
	});

	it("goes with the last process of the run", () => {
		const [one, two] = [host(), host()];
		one.claims.take(A, nightly);
		one.run?.close();
		expect(files()).toHaveLength(1);
		two.run?.close();
		expect(files()).toEqual([]);
		const last = host();
		rmSync(files()[0] ?? "");
		for (let time = 0; time < 2; time += 1) last.run?.close();
		expect(notices).toEqual([]);
	});

	it("of a killed run is swept by a later one, and that of a run under way is not", () => {
		const living = host("127.0.0.1:1");
		living.claims.take(A, nightly);
		const [file = ""] = files();
		const [left = "", young = "", odd = ""] = ["left", "young", "odd"].map((name) => join(file, "..", name));
		for (const each of [left, young]) writeFileSync(each, '["999999999-1-00000000"]\n');
		appendFileSync(file, '["999999999-1-00000000"]\n');
		mkdirSync(odd);
		for (const each of [left, file, odd]) utimesSync(each, 0, 0);
		host("127.0.0.1:2");
		expect(files()).toEqual(expect.arrayContaining([file, young]));
		expect(files()).not.toContain(left);
		expect(notices).toEqual([]);
	});

	it("is read up to its last whole line, and then on", () => {
		const [one, two] = [host(), host()];
		one.claims.take(A, nightly);
		const [file = ""] = files();
		const line = `["${process.pid}-0-another","x",{"is":"released"}]\n`;
		appendFileSync(file, line.slice(0, 9));
		expect(two.claims.holder(nightly)).toBe(A);
		appendFileSync(file, line.slice(9));
		one.claims.settle(nightly, "done");
		expect(two.claims.of(nightly)).toMatchObject({ written: "done" });
	});

	const OTHERS = "it belongs to another user, or other users may write to it";
	const userFolder = () => `pulumi-datachain-${process.getuid?.()}`;
	it.each([
		["can be used by others", OTHERS, () => mkdirSync(join(root, userFolder()), { mode: 0o755 })],
		["is a file", "EEXIST.*", () => writeFileSync(join(root, userFolder()), "")],
		["cannot be made", "EACCES.*", () => chmodSync(root, 0o500)],
	])("is not used if its folder %s, with one notice", (_, why, spoil) => {
		// Root may write anywhere.
		if (_ === "cannot be made" && process.getuid?.() === 0) return;
		spoil();
		const { claims } = host();
		expect(claims.take(A, nightly)).toBe(true);
		expect(claims.holder(nightly)).toBe(A);
		expect(notices).toEqual([
			expect.stringMatching(
				`^Could not use the folder ${join(root, userFolder())}, which .* manage: ${why}\\. The deployment goes on\\. Do not move .* another name in it, or set TMPDIR to a folder of your own\\.$`,
			),
		]);
	});

	it("that cannot be read any more gives one notice, and the run goes on", () => {
		const { claims } = host();
		truncateSync(files()[0] ?? "");
		expect([claims.take(A, nightly), claims.take(A, { ...nightly, id: "8" })]).toEqual([true, true]);
		expect(claims.holder(nightly)).toBe(A);
		expect(notices).toHaveLength(1);
	});
});

describe("the engine's address", () => {
	it.each([
		["of the dynamic host", ["127.0.0.1:34567", "/some/folder"], "127.0.0.1:34567"],
		[
			"of the plugin, behind flags of the engine's log",
			["--logtostderr", "-v=9", "127.0.0.1:34567"],
			"127.0.0.1:34567",
		],
		["of a command, which has none", ["drift", "--cwd", "/a:1", "a:1b"], undefined],
		["of a start without arguments", [], undefined],
	])("%s", (_, args, address) => {
		expect(engineAddress(args)).toBe(address);
	});

	it("without one nothing is shared, and nothing is written", () => {
		expect(RunClaims.open(undefined, SERVICE, () => undefined, root)).toBeUndefined();
		expect(readdirSync(root)).toEqual([]);
	});
});
