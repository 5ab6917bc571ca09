import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { version } from "../../package.json";
import { buildSite } from "../../tools/docs/main";
import { sitePages } from "../../tools/docs/pages";
import { tempFolder } from "../../tools/process/temp-folder";
import { describeInBrowser, overhang } from "../helpers/board-page";
import { readPage } from "../helpers/docs-pages";

const folder = tempFolder("site-");
const place = (address: string): string => join(folder.path, `${address}.html`);
const htmlOf = (address: string): string => readFileSync(place(address), "utf8");
const urlOf = (address: string): string => pathToFileURL(place(address)).href;
const pages = sitePages();
/** Users come to these; the others are for contributors. */
const userPages = pages.filter(({ isForUsers }) => isForUsers);

beforeAll(async () => {
	expect(await buildSite(folder.path)).toBe(true);
});
afterAll(() => folder.remove());

describe("the site", () => {
	test("has each page at an address that follows from its file", () => {
		expect(pages.length).toBeGreaterThan(20);
		for (const { path } of pages.filter(({ path }) => /^docs\/[a-z]/.test(path)))
			expect(existsSync(place(path.replace(/\.md$/, ""))), path).toBe(true);
		for (const { address, title } of pages)
			expect(htmlOf(address)).toContain(`<title>${title} |`);
	});

	test("has the page of each resource under Reference, and of each how-to under How to", () => {
		const partOf = (name: string) =>
			pages.find(({ path }) => path === `docs/${name}.md`)?.part;
		for (const name of ["pipeline-schedule", "job", "pipeline", "storage", "plugin"])
			expect(partOf(name), name).toBe("Reference");
		for (const name of ["adopting-a-team", "drift", "ci"])
			expect(partOf(name), name).toBe("How to");
	});

	test("shows its version, and below each page the ones beside it and where to edit it", () => {
		for (const [index, { path, address }] of pages.entries()) {
			const html = htmlOf(address);
			expect(html).toContain(`v${version}</a>`);
			expect(html).toContain(`/edit/main/${path}">`);
			const beside = [...html.matchAll(/<a rel="(prev|next)" href="([^"]+)"/g)].map(
				([, rel, href = ""]) => {
					const file = fileURLToPath(new URL(href, urlOf(address)));
					return [rel, relative(folder.path, file).replace(/\.html$/, "")];
				},
			);
			const expected = [
				["prev", pages[index - 1]?.address],
				["next", pages[index + 1]?.address],
			];
			expect(beside).toEqual(expected.filter(([, to]) => to !== undefined));
		}
	});

	test("has no link that leads nowhere", () => {
		const files = readdirSync(folder.path, { recursive: true, encoding: "utf8" });
		const anchors = new Map<string, Set<string>>();
		const anchorsOf = (file: string): Set<string> => {
			const known = anchors.get(file);
			if (known !== undefined) return known;
			const ids = [...readFileSync(file, "utf8").matchAll(/ id="([^"]+)"/g)].map(
				([, id = ""]) => id,
			);
			anchors.set(file, new Set(ids));
			return new Set(ids);
		};
		let count = 0;
		const broken: string[] = [];
		for (const name of files.filter((file) => file.endsWith(".html"))) {
			const from = join(folder.path, name);
			for (const [, href = ""] of readFileSync(from, "utf8").matchAll(
				/<(?:a|img)\b[^>]* (?:href|src)="([^"]+)"/g,
			)) {
				if (/^[a-z]+:/.test(href)) continue;
				count++;
				const { pathname, hash } = new URL(href, pathToFileURL(from));
				const to = fileURLToPath(`file://${pathname}`);
				const anchor = decodeURIComponent(hash.slice(1));
				if (!existsSync(to)) broken.push(`${name}: ${href}`);
				else if (anchor !== "" && to.endsWith(".html") && !anchorsOf(to).has(anchor))
					broken.push(`${name}: ${href}`);
			}
		}
		expect(count).toBeGreaterThan(2_000);
		expect(broken).toEqual([]);
	});

	test("has an anchor of its own for each message that troubleshooting explains", () => {
		const html = htmlOf("docs/troubleshooting");
		const anchors = [...html.matchAll(/<h3[^>]* id="([^"]+)"/g)].map(
			([, anchor]) => anchor,
		);
		expect(anchors).toHaveLength(messages.length);
		expect(new Set(anchors).size).toBe(anchors.length);
	});
});

/** Of the page for troubleshooting, whose headings are the messages. */
const messages = [
	...readPage("docs/troubleshooting.md").text.matchAll(/^### (.+)$/gm),
].map(([, message = ""]) => message);

interface Result {
	readonly where: string;
	readonly head: string;
	readonly excerpt: string;
	readonly url: string;
}

async function search(page: Page, query: string): Promise<Result[]> {
	if (!(await page.locator("#tsd-search").isVisible())) await page.keyboard.press("/");
	await page.waitForFunction("window.siteSearch !== undefined");
	await page.fill("#tsd-search-input", query);
	return page.evaluate(`[...document.querySelectorAll("#tsd-search-results > li a")].map((item) => {
		const line = (name) => item.querySelector("." + name)?.textContent ?? "";
		return { where: line("where"), head: line("head"), excerpt: line("excerpt"), url: item.getAttribute("href") };
	})`);
}

describeInBrowser("the site in a browser", (open) => {
	test("finds sections of pages before names of the reference, and shows where they are and what they say", async () => {
		const { page, problems } = await open(urlOf("index"));
		const results = await search(page, "schedule");
		const isName = results.map(({ where }) => where.startsWith("Reference"));
		expect(isName).toContain(false);
		expect(isName).toContain(true);
		expect(isName.lastIndexOf(false)).toBeLessThan(isName.indexOf(true));
		expect(results.filter(({ url }) => url.includes("#")).length).toBeGreaterThan(2);
		for (const { head, excerpt, where } of results)
			if (!where.startsWith("Reference"))
				expect(`${head} ${excerpt}`.toLowerCase()).toContain("schedule");
		// Chromium says so of each icon of a page that was opened from a file; the theme then draws them in another way.
		expect(
			problems.filter(
				(problem) => !problem.startsWith("Unsafe attempt to load URL file:"),
			),
		).toEqual([]);
	});

	test("finds a word in another form, a name with a sign, and says so if there is none", async () => {
		const { page } = await open(urlOf(userPages[0]?.address ?? ""));
		expect((await search(page, "deletions"))[0]?.excerpt).toMatch(/delet(e|ed|ion)\b/i);
		// Short words keep four letters.
		for (const word of ["roles", "files", "names", "rules"])
			expect(await search(page, word), word).not.toEqual([]);
		const [sharp] = await search(page, "C#");
		expect(`${sharp?.head} ${sharp?.excerpt}`).toContain("C#");
		expect(await search(page, "unicorns")).toEqual([]);
		expect(await page.locator("#tsd-search-status").textContent()).toBe(
			"Nothing found for “unicorns”.",
		);
	});

	test("finds each message of troubleshooting by what a terminal shows, with the values of the team", async () => {
		const { page } = await open(urlOf("index"));
		const long = messages.filter((message) =>
			message.split("…").some((part) => /(\S+\s+){4}\S/.test(part)),
		);
		expect(long.length).toBeGreaterThan(20);
		const missed: string[] = [];
		for (const message of long) {
			const results = await search(
				page,
				`error: ${message.replaceAll("…", "vision 42")} HTTP 409`,
			);
			if (!results.slice(0, 3).some(({ head }) => head === message))
				missed.push(message);
		}
		expect(missed).toEqual([]);
	});

	test("opens a result with the keyboard, also on the page that is shown", async () => {
		const { page } = await open(urlOf("index"));
		const results = await search(page, "schedule");
		const second = results.filter(({ url }) => url.includes("#"))[0];
		const number = results.findIndex(({ url }) => url === second?.url);
		for (let step = 0; step <= number; step++) await page.keyboard.press("ArrowDown");
		await page.keyboard.press("Enter");
		await page.waitForURL((url) =>
			url.href.endsWith((second?.url ?? "?").replace(/^(\.\.?\/)+/, "")),
		);
		expect(await page.locator("#tsd-search").isVisible()).toBe(false);
	});

	test("keeps names in tables in one piece, fits a phone, and has pictures that can be read there", async () => {
		const { page } = await open(urlOf("index"), { colorScheme: "dark" });
		for (const { address } of [{ address: "index" }, ...userPages]) {
			await page.setViewportSize({ width: 1_280, height: 860 });
			await page.goto(urlOf(address));
			const broken =
				await page.evaluate(`[...document.querySelectorAll("td:first-child code")]
				.filter((code) => code.getClientRects().length > 1).map((code) => code.textContent)`);
			expect(broken, address).toEqual([]);
			const width = await page.evaluate(
				`document.querySelector(".col-content > .tsd-panel").clientWidth`,
			);
			expect(width).toBeGreaterThan(700);

			await page.setViewportSize({ width: 390, height: 844 });
			expect(await overhang(page), address).toBeLessThanOrEqual(0);
			await page.evaluate(
				`for (const image of document.images) image.loading = "eager";`,
			);
			await page.waitForFunction(
				"[...document.images].every((image) => image.complete)",
			);
			const small = await page.evaluate(`[...document.querySelectorAll(".picture img")]
				.filter((image) => image.offsetParent !== null && image.width < Math.min(image.naturalWidth, 800))
				.map((image) => image.src)`);
			expect(small, address).toEqual([]);
		}
	});
});
