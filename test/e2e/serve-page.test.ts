import { type Browser, chromium, type Locator, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LocalServer, startServer } from "../../src/server";
import { CHROMIUM_FLAGS, findChromium } from "../helpers/drift-browser";
import { apiOf } from "../helpers/server-harness";

const executablePath = findChromium();
const hint = "No browser: set CHROMIUM_PATH, or install chromium. The page of serve was NOT opened.";

if (executablePath === undefined) console.warn(hint);

// Skipped on a machine without a browser; in CI that is a failure.
describe.skipIf(executablePath === undefined && process.env.CI !== "true")(
	"the page of serve in a real browser",
	{ timeout: 120_000 },
	() => {
		let browser: Browser;
		let server: LocalServer;
		beforeAll(async () => {
			if (executablePath === undefined) throw new Error(hint);
			browser = await chromium.launch({ executablePath, args: CHROMIUM_FLAGS });
			server = await startServer({ jobStepMillis: 400 });
		});
		afterAll(async () => {
			await browser?.close();
			await server?.close();
		});

		const open = async (url = server.pageUrl) => {
			const page = await browser.newPage();
			const seen = { requests: [] as string[], problems: [] as string[] };
			page.on("request", (request) => seen.requests.push(request.url()));
			page.on("pageerror", (error) => seen.problems.push(error.message));
			page.on("console", (message) => message.type() === "error" && seen.problems.push(message.text()));
			await page.goto(url);
			return { page, ...seen };
		};
		const text = async (locator: Locator) => (await locator.textContent()) ?? "";
		const row = (page: Page, table: string, text: string) =>
			page.locator(`#${table} tbody tr`, { hasText: text });

		it("shows pipelines, schedules with next runs and jobs, and asks nobody but its own server", async () => {
			const { page, requests, problems } = await open();
			await row(page, "pipelines", "nightly-images").waitFor();
			expect(await text(row(page, "pipelines", "rusty-vise"))).toMatch(/FAILED\s*2 of 2/);
			expect(await text(row(page, "pipelines", "quiet-harbor"))).toMatch(
				/PAUSED\s*0 of 2\s*dev\.images\.clean/,
			);
			const schedule = await text(row(page, "schedules", "nightly-images-by-hand"));
			expect(schedule.match(/\d{4}-\d\d-\d\d 02:30 UTC/g)).toHaveLength(3);
			expect(await text(row(page, "jobs", "backfill.py"))).toContain("RUNNING");
			expect(page.url()).toBe(`${server.url}/`);
			expect(requests.filter((url) => !url.startsWith(server.url) && !url.startsWith("data:"))).toEqual([]);
			expect(problems).toEqual([]);
			await page.close();
		});

		it("updates by itself: a new job appears, its log grows while it runs, and its files are named", async () => {
			const { page, problems } = await open();
			await row(page, "pipelines", "nightly-images").waitFor();
			const api = apiOf(server);
			const form = new FormData();
			form.append("file", new Blob(["a,b\n"]), "labels.csv");
			const upload = await fetch(`${server.url}/api/datachain/jobs/files?team_name=vision`, {
				method: "POST",
				headers: { Authorization: `Bearer ${server.token}` },
				body: form,
			});
			const { id } = (await upload.json()) as { id: number };
			await api.post("/jobs/", {
				query: 'print("<img src=x onerror=alert(1)>")\nprint("two")\nprint("three")',
				query_type: "PYTHON",
				query_name: "<b>live</b>.py",
				environment: "PASSWORD=hunter2-secret",
				files: [String(id)],
			});
			const job = row(page, "jobs", "<b>live</b>.py");
			await job.getByRole("button").click();
			await page.locator("#log", { hasText: "Preparing a Python" }).waitFor();
			const early = await text(page.locator("#log"));
			await page.locator("#log", { hasText: "Finished" }).waitFor();
			const log = await text(page.locator("#log"));
			expect(log.length).toBeGreaterThan(early.length);
			expect(log).toContain("<img src=x onerror=alert(1)>\ntwo\nthree");
			expect(await text(page.locator("#log-title"))).toMatch(/<b>live<\/b>\.py — COMPLETE/);
			expect(await text(job)).toMatch(/COMPLETE[\s\S]*labels\.csv/);
			expect(await text(row(page, "files", "labels.csv"))).toMatch(/4\s*pending/);
			expect(await page.content()).not.toContain("hunter2-secret");
			expect(problems).toEqual([]);
			await page.close();
		});

		it("never shows the log of one job under another that is chosen while it is asked for", async () => {
			const { page } = await open();
			const api = apiOf(server);
			for (const name of ["one", "two"])
				await api.post("/jobs/", {
					query: `print("log of ${name}")`,
					query_type: "PYTHON",
					query_name: `${name}.py`,
				});
			const choose = (name: string) => row(page, "jobs", `${name}.py`).getByRole("button").click();
			for (const name of ["one", "two"])
				await row(page, "jobs", `${name}.py`).getByText("COMPLETE").waitFor();
			let release = () => {};
			const released = new Promise<void>((resolve) => {
				release = resolve;
			});
			const held = page.waitForRequest(/\/logs/);
			await page.route(/\/logs/, async (route) => {
				await released;
				await route.continue();
			});
			await choose("one");
			await held;
			await choose("two");
			release();
			await page.locator("#log", { hasText: "log of two" }).waitFor();
			expect(await text(page.locator("#log"))).not.toContain("log of one");
			await page.close();
		});

		it("asks for the token where it has none, and takes it", async () => {
			const { page } = await open(`${server.url}/`);
			await page.locator("#sign-in").waitFor();
			expect(await page.locator("#content").isVisible()).toBe(false);
			await page.locator("#token").fill("wrong-token");
			await page.getByRole("button", { name: "Show the team" }).click();
			await page.getByText("The token is not known to this server.").waitFor();
			await page.locator("#token").fill(server.token);
			await page.getByRole("button", { name: "Show the team" }).click();
			await row(page, "pipelines", "nightly-images").waitFor();
			await page.close();
		});

		it("is served with a policy that lets nothing in from elsewhere, and its data only with a token", async () => {
			const reply = await fetch(`${server.url}/`);
			expect(reply.headers.get("content-security-policy")).toMatch(/default-src 'none'.*script-src 'self'/);
			expect((await fetch(`${server.url}/api/_page/team`)).status).toBe(401);
		});
	},
);
