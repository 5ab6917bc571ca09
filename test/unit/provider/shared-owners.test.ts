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
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { type NameRef, type ObjectRef, Owners } from "../../../src/provider/run/owners";
import { engineAddress, SharedOwners } from "../../../src/provider/run/shared-owners";
import { testFolder } from "../../helpers/test-folder";

const ENGINE = "127.0.0.1:4711";
const SERVICE = "https://studio.example.com/api";
const A = "urn A";
const B = "urn B";
const nightly: ObjectRef = { kind: "PipelineSchedule", team: "ml", id: "7" };
const name: NameRef = { kind: "PipelineSchedule", team: "ml", folded: "a" };
const caller = (urn: string) => ({ urn, stateUrn: urn });

let root: string;
let notices: string[];

/** A provider process of the deployment. */
const host = (engine = ENGINE, service = SERVICE) => {
	const shared = SharedOwners.open(engine, service, (text) => notices.push(text), root);
	onTestFinished(() => shared?.close());
	return { owners: new Owners(shared), shared };
};
/** The files of deployments. */
const files = () =>
	readdirSync(root).flatMap((user) =>
		readdirSync(join(root, user)).map((name) => join(root, user, name)),
	);

beforeEach(() => {
	root = testFolder("shared-owners-");
	notices = [];
	onTestFinished(() => chmodSync(root, 0o700));
});

describe("two processes of one deployment", () => {
	let one: Owners;
	let two: Owners;
	beforeEach(() => {
		[one, two] = [host().owners, host().owners];
	});

	it("see what the other one took and keeps, also if they looked before", () => {
		expect(two.isForeign(nightly)).toBe(true);
		one.take(A, nightly);
		expect(two.of(nightly)).toEqual({ urn: A, since: "deployment" });
		expect(two.isForeign(nightly)).toBe(false);
		const other = { ...nightly, id: "8" };
		one.keep({ urn: A, stateUrn: "urn old" }, other);
		expect(two.of(other)).toEqual({ urn: A, stateUrn: "urn old", since: "state" });
	});

	it("declare a name once", () => {
		expect([
			one.declare(caller(A), name),
			two.declare(caller(B), name),
			two.declare(caller(A), name),
		]).toEqual([undefined, A, undefined]);
		expect(two.declare(caller(B), { ...name, folded: "b" })).toBeUndefined();
		expect(one.declare(caller(A), { ...name, folded: "b" })).toBe(B);
	});

	it("take an object once, and leave a delete to its owner", () => {
		expect(one.take(A, nightly)).toBe(true);
		expect([two.take(B, nightly), two.keep(caller(B), nightly)]).toEqual([
			false,
			false,
		]);
		expect(two.blocksDelete(caller(B), nightly)?.urn).toBe(A);
		expect(readFileSync(files()[0] ?? "", "utf8")).not.toContain(B);
	});

	it("that write at once agree on the line that came first", () => {
		one.take(A, nightly);
		const [file = ""] = files();
		const line = readFileSync(file, "utf8").trim().split("\n").at(-1)?.replace(A, B);
		appendFileSync(file, `${line}\n`);
		expect([one.of(nightly)?.urn, two.of(nightly)?.urn]).toEqual([A, A]);
	});

	it("tell the later one of two that take an object at once that it was too late", () => {
		one.take(A, nightly);
		const [file = ""] = files();
		const { key } = JSON.parse(
			readFileSync(file, "utf8").trim().split("\n").at(-1) ?? "",
		) as { key: string };
		const shared = SharedOwners.open(
			ENGINE,
			SERVICE,
			(text) => notices.push(text),
			root,
		);
		onTestFinished(() => shared?.close());
		// It has not read the line of the first one when it writes its own.
		expect(
			shared?.add(JSON.stringify(["PipelineSchedule", "ml", "7"]), {
				urn: B,
				since: "deployment",
			}),
		).toBe(false);
		expect(readFileSync(file, "utf8").split(key)).toHaveLength(3);
		expect(notices).toEqual([]);
	});

	it("see that an object was deleted, and take what the service makes under its id", () => {
		one.keep(caller(A), nightly);
		expect(two.of(nightly)?.urn).toBe(A);
		one.release(nightly);
		expect(two.of(nightly)).toBeUndefined();
		expect(two.take(B, nightly)).toBe(true);
		expect(one.of(nightly)?.urn).toBe(B);
	});

	it("see that the resource which keeps an object has adopted it", () => {
		one.keep(caller(A), nightly);
		two.take(A, nightly);
		expect(host().owners.of(nightly)?.since).toBe("deployment");
	});
});

describe("owners are not seen", () => {
	it("by another deployment", () => {
		host().owners.take(A, nightly);
		expect(host("127.0.0.1:4712").owners.isForeign(nightly)).toBe(true);
	});

	it("of an object of another service, team or kind", () => {
		const { owners } = host();
		owners.take(A, nightly);
		expect(
			host(ENGINE, "https://other.example.com/api").owners.isForeign(nightly),
		).toBe(true);
		expect(host().owners.isForeign({ ...nightly, team: "x" })).toBe(true);
		expect(host().owners.isForeign({ ...nightly, kind: "Job" })).toBe(true);
	});

	it("after their process has ended: its objects may be taken", () => {
		const { owners, shared } = host();
		owners.take(A, nightly);
		const [file = ""] = files();
		const text = readFileSync(file, "utf8");
		shared?.close();
		const ended = spawnSync(process.execPath, ["-e", ""]).pid;
		writeFileSync(file, text.replaceAll(/"process":\d+/g, `"process":${ended}`));
		expect(host().owners.isForeign(nightly)).toBe(true);
		expect(host().owners.take(B, nightly)).toBe(true);
		expect(host().owners.of(nightly)?.urn).toBe(B);
	});

	it("after their process has ended, unlike those of one that lives", () => {
		const { owners } = host();
		owners.take(A, nightly);
		const [file = ""] = files();
		writeFileSync(
			file,
			readFileSync(file, "utf8").replaceAll(
				/"process":\d+/g,
				`"process":${process.ppid}`,
			),
		);
		expect(host().owners.of(nightly)?.urn).toBe(A);
	});
});

describe("the file of a deployment", () => {
	it("is this user's alone, and shows neither team nor object", () => {
		const { owners } = host();
		owners.declare(caller(A), { ...name, team: "secret-team", folded: "secret-name" });
		owners.take(A, { ...nightly, team: "secret-team", id: "secret-id" });
		const [file = ""] = files();
		expect([
			statSync(join(file, "..")).mode & 0o777,
			statSync(file).mode & 0o777,
		]).toEqual([0o700, 0o600]);
		expect(file + readFileSync(file, "utf8")).not.toMatch(/secret/);
	});

	it("goes with the last process of the deployment", () => {
		const { owners, shared } = host();
		owners.take(A, nightly);
		const [file = ""] = files();
		const another = `{"process":${process.ppid}}\n`;
		appendFileSync(file, another);
		shared?.close();
		expect(files()).toHaveLength(1);
		const last = host();
		writeFileSync(file, readFileSync(file, "utf8").replace(another, ""));
		last.shared?.close();
		expect(files()).toEqual([]);
	});

	it("may be gone before its process ends, which nobody need be told", () => {
		const { shared } = host();
		rmSync(files()[0] ?? "");
		for (let time = 0; time < 2; time += 1) shared?.close();
		expect(notices).toEqual([]);
	});

	it("of a killed deployment is removed by a later one, and that of one under way is not", () => {
		const living = host("127.0.0.1:1");
		living.owners.take(A, nightly);
		const [file = ""] = files();
		const [left = "", young = "", odd = ""] = ["left", "young", "odd"].map((each) =>
			join(file, "..", each),
		);
		for (const each of [left, young]) writeFileSync(each, '{"process":999999999}\n');
		appendFileSync(file, '{"process":999999999}\n');
		mkdirSync(odd);
		for (const each of [left, file, odd]) utimesSync(each, 0, 0);
		host("127.0.0.1:2");
		expect(files()).toEqual(expect.arrayContaining([file, young]));
		expect(files()).not.toContain(left);
		expect(notices).toEqual([]);
	});

	it("is read up to its last whole line, and then on", () => {
		const [one, two] = [host(), host()];
		one.owners.take(A, nightly);
		const [file = ""] = files();
		const line =
			readFileSync(file, "utf8")
				.trim()
				.split("\n")
				.at(-1)
				?.replace(/"owner".*/, '"x":1}\n') ?? "";
		appendFileSync(file, line.slice(0, 9));
		expect(two.owners.of(nightly)?.urn).toBe(A);
		appendFileSync(file, line.slice(9));
		expect(two.owners.of(nightly)).toBeUndefined();
	});

	const OTHERS = "it belongs to another user, or other users may write to it";
	const userFolder = () => `pulumi-datachain-${process.getuid?.()}`;
	it.each([
		[
			"can be used by others",
			OTHERS,
			() => mkdirSync(join(root, userFolder()), { mode: 0o755 }),
		],
		["is a file", "EEXIST.*", () => writeFileSync(join(root, userFolder()), "")],
		["cannot be made", "EACCES.*", () => chmodSync(root, 0o500)],
	])("is not used if its folder %s, with one notice", (_, why, spoil) => {
		// Root may write anywhere.
		if (_ === "cannot be made" && process.getuid?.() === 0) return;
		spoil();
		const { owners } = host();
		expect(owners.take(A, nightly)).toBe(true);
		expect(owners.of(nightly)?.urn).toBe(A);
		expect(notices).toEqual([
			expect.stringMatching(
				`^Could not use ${join(root, userFolder())}, where .* manage: ${why}\\. The deployment continues\\. In it, do not move .* another name, or set TMPDIR to a folder of your own\\.$`,
			),
		]);
	});

	it("that cannot be read any more gives one notice, and the deployment goes on", () => {
		const { owners } = host();
		owners.take(A, nightly);
		truncateSync(files()[0] ?? "");
		const taken = ["8", "9"].map((id) => owners.take(A, { ...nightly, id }));
		expect(taken).toEqual([true, true]);
		expect(owners.of(nightly)?.urn).toBe(A);
		expect(owners.isForeign({ ...nightly, id: "10" })).toBe(true);
		expect(notices).toEqual([
			expect.stringMatching(/^Could not use .*The deployment continues\./),
		]);
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
		expect(
			SharedOwners.open(undefined, SERVICE, () => undefined, root),
		).toBeUndefined();
		expect(readdirSync(root)).toEqual([]);
	});
});
