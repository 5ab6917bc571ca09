import { describe, expect, it } from "vitest";
import {
	freshStack,
	named as one,
	stack,
	theirs,
	there,
	world,
} from "../helpers/provider-scene";

freshStack();

const names = () => there().map(({ name }) => name);

/** A service that stores each name in a form of its own, from the request that brings it on. */
const storesNames = (form: (name: string) => string) => ({
	onAttempt: () => {
		for (const { id, name } of there())
			if (form(name) !== name)
				world.colleague.updateSchedule({ schedule_id: id, schedule_name: form(name) });
	},
});

describe("a service that stores names in another form", () => {
	it.each([
		["in lower case", "Nightly", "nightly", (name: string) => name.toLowerCase(), ""],
		[
			"in Unicode's composed form",
			"Nacht-Lo\u0308sung",
			"Nacht-L\u00f6sung",
			(name: string) => name.normalize("NFC"),
			" The service stores Unicode NFC; the program has NFD.",
		],
		[
			"in that form, where the program has both",
			"L\u00f6sung o\u0308",
			"L\u00f6sung \u00f6",
			(name: string) => name.normalize("NFC"),
			" The service stores Unicode NFC; the program has text in a mixed form.",
		],
		[
			"in a way that nobody expects",
			"nightly  images",
			"nightly-images",
			(name: string) => name.replace(/ +/g, "-"),
			"",
		],
	])(
		"%s, has one schedule, and the failure names the spelling, which settles it",
		async (_, declared, stored, form, note) => {
			const { failures } = await stack.up([one("a", declared)], storesNames(form));
			expect(failures).toEqual([
				`a: Schedule (id 1) in team "ml" exists, and the service calls it "${stored}". Set scheduleName to "${stored}" instead of ` +
					`"${declared}", then run "pulumi up" again.${note}`,
			]);
			expect([stack.ids(), names()]).toEqual([{ a: "1" }, [stored]]);
			expect((await stack.up([one("a", stored)], storesNames(form))).failures).toEqual(
				[],
			);
			expect((await stack.up([one("a", stored)], storesNames(form))).steps).toEqual([
				"same a",
			]);
		},
	);

	it("keeps the id of a new schedule also if the list fails from then on", async () => {
		const form = storesNames((name) => name.replace(/ +/g, "-"));
		const { failures } = await stack.up([one("a", "nightly  images")], {
			onAttempt: ({ operation }) => {
				form.onAttempt();
				if (operation === "createSchedule")
					world.fault({ kind: "status", status: 500, endpoint: "listSchedules" });
			},
		});
		expect(failures).toEqual([
			expect.stringContaining('the service calls it "nightly-images"'),
		]);
		expect(stack.ids()).toEqual({ a: "1" });
	});

	const RESPELLED =
		/^a: Schedule \(id 1\) in team "ml" exists, and the service stores its name in another spelling\. Set scheduleName to the spelling that the web UI shows, then run "pulumi up" again\.$/;
	it("brings no secret name into a message or the state's errors", async () => {
		const secret = one("a", "Nightly", { __secret: ["scheduleName"] });
		for (const round of [1, 2, 3]) {
			const run = await stack.up(
				[secret],
				storesNames((name) => name.toLowerCase()),
			);
			expect(run.failures, String(round)).toEqual([expect.stringMatching(RESPELLED)]);
			expect([...run.failures, ...run.notices].join()).not.toMatch(/nightly/i);
		}
		expect(names()).toEqual(["nightly"]);
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
	])(
		"that differs in %s is refused, also with consent, and the preview says so",
		async (_, there, declared) => {
			const { id } = theirs(there);
			const { notices } = await stack.preview([one("a", declared)]);
			expect(notices.join("\n")).toContain(
				`the name "${declared}" is in use in team "ml" (as "${there}", id ${id},`,
			);
			for (const [inputs, adoptEqual] of [
				[{ adopt: true }, false],
				[{}, true],
			] as const)
				expect(
					(await stack.up([one("a", declared, inputs)], { adoptEqual })).failures,
				).toEqual([
					expect.stringMatching(
						`^a: A schedule named "${there}" already exists .*Set scheduleName to "${there}" with adopt set to true`,
					),
				]);
			expect(names()).toEqual([there]);
		},
	);

	it("does not count beside a schedule of exactly the name, which is adopted", async () => {
		theirs("Nightly");
		const { id } = theirs("nightly");
		expect((await stack.up([one("a", "nightly", { adopt: true })])).failures).toEqual(
			[],
		);
		expect(stack.ids()).toEqual({ a: String(id) });
		expect((await stack.refresh()).notices.join("\n")).not.toMatch(/exists 2 times/);
	});

	it("may be the resource's own old one", async () => {
		await stack.up([one("a", "Nightly")]);
		expect((await stack.preview([one("a", "nightly")])).notices).toEqual([]);
		expect((await stack.up([one("a", "nightly")])).failures).toEqual([]);
		expect(names()).toEqual(["nightly"]);
	});
});

it.each([
	["to a new schedule", {}, {}, { "0.cron_expression": 7 }],
	["also with adopt", { adopt: true }, {}, { "0.cron_expression": 7 }],
	[
		"also with consent to what is equal",
		{},
		{ adoptEqual: true },
		{ "0.cron_expression": 7 },
	],
	[
		"also where its id is missing",
		{ adopt: true },
		{},
		{ "0.cron_expression": 7, "0.id": null },
	],
])(
	"a row of the list that cannot be read takes its name: refused %s",
	async (_, inputs, options, set) => {
		const made = theirs("nightly");
		const id = "0.id" in set ? "unknown" : made.id;
		theirs("other");
		world.fault({ kind: "rewrite", endpoint: "listSchedules", set });
		expect((await stack.up([one("a", "nightly", inputs)], options)).failures).toEqual([
			expect.stringMatching(
				`^a: A schedule named "nightly" already exists in team "ml" \\(id ${id}, .*form that cannot be read \\(.*cron_expression: .*Choose another scheduleName, or rename or delete that one in the web UI\\.$`,
			),
		]);
		expect(names()).toEqual(["nightly", "other"]);
	},
);

it("a row that cannot be read is refused also if it is this stack's own, because a second schedule could be lost beside it", async () => {
	await stack.up([one("old", "nightly")]);
	theirs("other");
	world.fault({
		kind: "rewrite",
		endpoint: "listSchedules",
		set: { "0.cron_expression": 7 },
	});
	const { failures } = await stack.up([one("new", "nightly", { adopt: true })], {
		refresh: true,
	});
	expect(failures).toEqual([
		expect.stringMatching(/^new: .*\(id 1, .*form that cannot be read/),
	]);
	expect(names()).toEqual(["nightly", "other"]);
});

it.each([
	["another cron", { cron_expression: "0 9 * * *" }],
	["another pipeline", { pipeline_name: "p2" }],
	["a start time", { cron_expression: undefined, start_after: "2030-01-01T00:00:00Z" }],
])(
	"a create without a reply does not take what a colleague created meanwhile with %s",
	async (_, inputs) => {
		world.fault({ kind: "status", status: 502, endpoint: "createSchedule", times: 1 });
		const { failures } = await stack.up([one("a", "nightly")], {
			onAttempt: ({ operation }) => {
				if (operation === "createSchedule" && there().length === 0)
					theirs("nightly", inputs);
			},
		});
		expect(failures).toEqual([
			expect.stringMatching(
				/^a: Could not tell whether schedule "nightly" was created.*It was not sent again.*The list shows id \d+, created by \w+ less than a minute ago, with other values\. Wait a minute/,
			),
		]);
		expect(stack.ids()).toEqual({});
		expect(there()).toMatchObject([{ name: "nightly", createdBy: "colleague" }]);
	},
);

it("a create whose response is lost takes none of two equal schedules", async () => {
	world.fault({ kind: "reset-after", endpoint: "createSchedule", times: 1 });
	const { failures } = await stack.up([one("a", "nightly")], {
		onAttempt: ({ operation }) => {
			if (operation === "createSchedule" && there().length === 1) theirs("nightly");
		},
	});
	expect(there()).toHaveLength(2);
	expect(failures).toEqual([
		expect.stringMatching(
			/^a: Could not tell whether schedule "nightly" was created.*The list shows id \d+, created by developer .*; id \d+, created by colleague .*\. Wait a minute, .* Keep one, and delete or pause the others\. Then run/,
		),
	]);
	expect(stack.ids()).toEqual({});
});
