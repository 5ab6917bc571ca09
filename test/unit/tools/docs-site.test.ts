import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { brokenLinks } from "../../../tools/docs/broken-links";
import { sitePages } from "../../../tools/docs/pages";
import { tempFolder } from "../../../tools/process/temp-folder";

describe("the pages of the site", () => {
	it("are those of the index, each once, under its part", () => {
		const pages = sitePages();
		const paths = pages.map(({ path }) => path);
		expect(new Set(paths).size).toBe(paths.length);
		expect(pages).toContainEqual({ path: "docs/drift.md", title: "Drift", part: "How to" });
		expect(pages).toContainEqual({ path: "CHANGELOG.md", title: "Changelog", part: "Operate" });
		expect(pages.filter(({ part }) => part === "")).toEqual([]);
	});

	it("have titles of their own, so that none takes another's file", () => {
		const titles = sitePages().map(({ title }) => title.toLowerCase());
		expect(titles.filter((title, index) => titles.indexOf(title) !== index)).toEqual([]);
	});
});

describe("a link of the site", () => {
	const site = tempFolder("docs-site-");
	afterAll(() => site.remove());

	it("that leads to no file or no heading is found", () => {
		mkdirSync(join(site.path, "pages"));
		writeFileSync(
			join(site.path, "index.html"),
			'<h1 id="top">a</h1><a href="#top"></a><a href="pages/b,_c.html#there"></a><a href="https://example.com/x"></a>',
		);
		writeFileSync(
			join(site.path, "pages", "b,_c.html"),
			'<p id="there"></p><a href="../index.html#gone"></a><img src="../lost.svg"><a href="../index.html"></a>',
		);
		const page = join("pages", "b,_c.html");
		expect(brokenLinks(site.path)).toEqual([`${page}: ../index.html#gone`, `${page}: ../lost.svg`]);
	});
});
