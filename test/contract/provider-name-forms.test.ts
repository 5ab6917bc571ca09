import { describe, expect, it } from "vitest";
import { freshStack, named as one, stack, theirs, there, world } from "../helpers/provider-scene";

freshStack();

const names = () => there().map(({ name }) => name);

/** A service that stores each name in a form of its own, from the request that brings it on. */
const storesNames = (form: (name: string) => string) => ({
	onAttempt: () => {
		for (const { id, name } of there())
			if (form(name) !== name) world.colleague.updateSchedule({ schedule_id: id, schedule_name: form(name) });
	},
});

describe("a service that stores names in another form", () => {
	describe.each([
		["in lower case", "Nightly", "nightly", (name: string) => name.toLowerCase(), ""],
		[
			"in Unicode's composed form",
			"Nacht-Lo\u0308sung",
			"Nacht-L\u00f6sung",
			(name: string) => name.normalize("NFC"),
			" The service stores Unicode NFC; the program has NFD.",
		],
		[
			"in a way that nobody expects",
			"nightly  images",
			"nightly-images",
			(name: string) => name.replace(/ +/g, "-"),
			"",
		],
	])("%s", (_, declared, stored, form, note) => {
		it("has one schedule, and the failure names the spelling, which settles it once it is declared", async () => {
			const { failures } = await stack.up([one("a", declared)], storesNames(form));
			expect(failures).toEqual([
				`a: Schedule (id 1) in team "ml" exists, and the service calls it "${stored}". Set scheduleName to "${stored}" instead of ` +
					`"${declared}", then run "pulumi up" again.${note}`,
			]);
			expect([stack.ids(), names()]).toEqual([{ a: "1" }, [stored]]);
			expect((await stack.up([one("a", stored)], storesNames(form))).failures).toEqual([]);
			expect((await stack.up([one("a", stored)], storesNames(form))).steps).toEqual(["same a"]);
			expect((await stack.destroy()).failures).toEqual([]);
			expect(names()).toEqual([]);
		});

		it("gets no second one by more deployments, refreshes and replacements", async () => {
			const program = [one("a", declared)];
			await stack.up(program, storesNames(form));
			for (const options of [{}, { refresh: true }, { adoptEqual: true }])
				expect((await stack.up(program, { ...storesNames(form), ...options })).failures).toHaveLength(1);
			expect([stack.ids(), names()]).toEqual([{ a: "1" }, [stored]]);
			await stack.up([one("a", declared, { pipelineName: "p2" })], storesNames(form));
			expect(names()).toEqual([stored]);
		});

		it("brings no secret name into a message or the state's errors", async () => {
			const secret = one("a", declared, { __secret: ["scheduleName"] });
			for (const round of [1, 2, 3]) {
				const { failures, notices } = await stack.up([secret], storesNames(form));
				expect(failures, String(round)).toHaveLength(1);
				expect([...failures, ...notices].join()).not.toMatch(/nightly|nacht/i);
			}
			expect(names()).toEqual([stored]);
		});
	});

	it("keeps the id of a new schedule also if the list fails from then on", async () => {
		const form = storesNames((name) => name.replace(/ +/g, "-"));
		const { failures } = await stack.up([one("a", "nightly  images")], {
			onAttempt: ({ operation }) => {
				form.onAttempt();
				if (operation === "createSchedule")
					world.fault({ kind: "status", status: 500, endpoint: "listSchedules" });
			},
		});
		expect(failures).toEqual([expect.stringContaining('the service calls it "nightly-images"')]);
		expect(stack.ids()).toEqual({ a: "1" });
	});

	it("keeps the id of a schedule that is renamed, too, and frees its old name", async () => {
		const lower = storesNames((name) => name.toLowerCase());
		await stack.up([one("a", "x")], lower);
		const { failures } = await stack.up([one("a", "Nightly"), one("b", "x")], lower);
		expect(failures).toEqual([expect.stringContaining('the service calls it "nightly"')]);
		expect(names().sort()).toEqual(["nightly", "x"]);
		expect(stack.ids().a).toBe("1");
	});
});

describe("a name that another schedule has in another spelling", () => {
	it.each([
		["case", "Nightly", "nightly"],
		["outer spaces", " nightly ", "nightly"],
		["Unicode form", "Lo\u0308sung", "l\u00f6sung"],
		["letters that are one in upper case", "Straße", "STRASSE"],
		["the number of spaces", "nightly  images", "nightly images"],
		["the kind of space", "nightly\u00a0images", "nightly images"],
		["a character without width", "nightly\u200b", "nightly"],
	])("that differs in %s is refused, and the preview says so", async (_, there, declared) => {
		const { id } = theirs(there);
		const { notices } = await stack.preview([one("a", declared)]);
		expect(notices.join("\n")).toContain(
			`the name "${declared}" is in use in team "ml" (as "${there}", id ${id},`,
		);
		expect((await stack.up([one("a", declared)])).failures).toEqual([
			expect.stringMatching(
				`^a: A schedule named "${there}" already exists .*Set scheduleName to "${there}" with adopt set to true`,
			),
		]);
		expect(names()).toEqual([there]);
	});

	it.each([
		["adopt", { adopt: true }, {}],
		["consent to what is equal", {}, { adoptEqual: true }],
	])("is not taken with %s either", async (_, inputs, options) => {
		theirs("Nightly");
		expect((await stack.up([one("a", "nightly", inputs)], options)).failures).toEqual([
			expect.stringContaining('Set scheduleName to "Nightly"'),
		]);
		expect(names()).toEqual(["Nightly"]);
	});

	it("is refused to a rename", async () => {
		await stack.up([one("a", "x")]);
		theirs("Nightly");
		expect((await stack.up([one("a", "nightly")])).failures).toEqual([
			expect.stringContaining('A schedule named "Nightly" already exists'),
		]);
		expect(names()).toEqual(["x", "Nightly"]);
	});

	it("does not count beside a schedule of exactly the name, which is adopted", async () => {
		theirs("Nightly");
		const { id } = theirs("nightly");
		expect((await stack.up([one("a", "nightly", { adopt: true })])).failures).toEqual([]);
		expect(stack.ids()).toEqual({ a: String(id) });
		expect((await stack.refresh()).notices.join("\n")).not.toMatch(/exists 2 times/);
	});

	it("may be the resource's own old one", async () => {
		await stack.up([one("a", "Nightly")]);
		expect((await stack.preview([one("a", "nightly")])).notices).toEqual([]);
		expect((await stack.up([one("a", "nightly")])).failures).toEqual([]);
		expect(names()).toEqual(["nightly"]);
	});

	it("is refused in one program as if it were the same", async () => {
		const { failures } = await stack.preview([one("a", "Nightly"), one("b", "nightly")]);
		expect(failures).toEqual([expect.stringMatching(/^b: scheduleName: "b" and "a" both declare/)]);
	});
});

describe("a row of the list that cannot be read", () => {
	const odd = (set: object = { "0.created_by": "ada" }) =>
		world.fault({ kind: "rewrite", endpoint: "listSchedules", set: { ...set } });

	it.each([
		["to a new schedule", {}, {}],
		["also with adopt", { adopt: true }, {}],
		["also with consent to what is equal", {}, { adoptEqual: true }],
	])("takes its name: refused %s", async (_, inputs, options) => {
		const { id } = theirs("nightly");
		theirs("other");
		odd();
		expect((await stack.up([one("a", "nightly", inputs)], options)).failures).toEqual([
			expect.stringMatching(
				`^a: A schedule named "nightly" already exists in team "ml" \\(id ${id}, .*form that cannot be read \\(created_by: `,
			),
		]);
		expect(names()).toEqual(["nightly", "other"]);
	});

	it("takes its name also in another spelling, and without an id", async () => {
		theirs("Nightly");
		theirs("other");
		odd({ "0.id": "seven" });
		expect((await stack.up([one("a", "nightly")])).failures).toEqual([
			expect.stringMatching(/^a: A schedule named "Nightly" already exists in team "ml" \(id unknown/),
		]);
		expect(names()).toEqual(["Nightly", "other"]);
	});

	it("does not keep its own resource from being read, updated and deleted", async () => {
		await stack.up([one("a", "nightly"), one("b", "other")]);
		odd();
		expect((await stack.refresh()).steps).toContain("read a");
		expect(
			(await stack.up([one("a", "nightly", { cronExpression: "0 4 * * *" }), one("b", "other")])).failures,
		).toEqual([]);
		expect((await stack.destroy()).failures).toEqual([]);
		expect(names()).toEqual([]);
	});
});

describe("a create without a reply", () => {
	const colleagueFaster = (inputs: object) => {
		let isDone = false;
		world.fault({ kind: "status", status: 502, endpoint: "createSchedule", times: 1 });
		return {
			onAttempt: ({ operation }: { readonly operation: string }) => {
				if (operation !== "createSchedule" || isDone) return;
				isDone = true;
				theirs("nightly", inputs);
				theirs("other");
			},
		};
	};

	it.each([
		["another cron", { cron_expression: "0 9 * * *" }],
		["another pipeline", { pipeline_name: "p2" }],
		["a start time", { cron_expression: undefined, start_after: "2030-01-01T00:00:00Z" }],
	])("does not take what a colleague created meanwhile with %s", async (_, inputs) => {
		const options = colleagueFaster(inputs);
		const { failures } = await stack.up([one("a", "nightly")], options);
		expect(failures).toEqual([
			expect.stringMatching(
				/^a: Could not tell whether schedule "nightly" was created.*The list shows that name with other values \(id \d+, created by \w+ less than a minute ago\), which this request did not create/,
			),
		]);
		expect(stack.ids()).toEqual({});
		expect(there()).toMatchObject([{ name: "nightly", createdBy: "colleague" }, { name: "other" }]);
		expect((await stack.destroy()).failures).toEqual([]);
		expect(names()).toEqual(["nightly", "other"]);
	});

	it("does not take an equal one that is older than others in the list, which left it out before", async () => {
		theirs("nightly");
		await world.time.sleep(10_000);
		theirs("other");
		const show = world.fault({ kind: "capped-list", endpoint: "listSchedules", limit: 1, which: "newest" });
		world.fault({ kind: "status", status: 502, endpoint: "createSchedule", times: 1 });
		const { failures } = await stack.up([one("a", "nightly")], {
			onAttempt: ({ operation }) => operation === "createSchedule" && show(),
		});
		expect(failures).toEqual([expect.stringMatching(/^a: Could not tell .* It is not in the list so far/)]);
		expect(stack.ids()).toEqual({});
	});

	it("names ten schedules that others created under that name meanwhile", async () => {
		world.fault({ kind: "status", status: 502, endpoint: "createSchedule", times: 1 });
		let left = 11;
		const { failures } = await stack.up([one("a", "nightly")], {
			onAttempt: ({ operation }) => {
				if (operation !== "createSchedule") return;
				for (; left > 0; left -= 1) theirs("nightly", { cron_expression: `5 ${left} * * *` });
			},
		});
		expect(failures.join().match(/id \d+, created by/g)).toHaveLength(10);
	});
});
