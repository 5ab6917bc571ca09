import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "../repository";
import { licencesOf } from "./licences";

const source = join(repository, "src", "board", "page");
const target = join(repository, "dist", "board", "page.html");

/** Makes one file of the board's page: its script with the library in it, its style, and rules that allow nothing else. */
export async function bundlePage(): Promise<void> {
	const { rolldown } = await import("rolldown");
	const build = await rolldown({
		input: join(source, "main.tsx"),
		platform: "browser",
		onLog: (level, { code, message }) => {
			if (level === "warn" && code !== "PLUGIN_TIMINGS") throw new Error(message);
		},
	});
	try {
		const { output } = await build.generate({
			format: "iife",
			minify: true,
			comments: false,
		});
		const [chunk] = output;
		const code = `${licencesOf(chunk.moduleIds)}\n${chunk.code.trim()}`;
		// In a script that stands in a page these would end it.
		const script = code.replace(/<\/(script)|<!--/gi, (found) =>
			found.replace("<", "\\x3c"),
		);
		const style = readFileSync(join(source, "style.css"), "utf8")
			.replace(/\s+/g, " ")
			.trim();
		const hash = (text: string) =>
			`'sha256-${createHash("sha256").update(text).digest("base64")}'`;
		const policy = [
			"default-src 'none'",
			`script-src ${hash(script)}`,
			`style-src ${hash(style)}`,
			"connect-src 'self'",
			"img-src data:",
			"form-action 'none'",
			"base-uri 'none'",
		].join("; ");
		const html = pageOf(policy, style, script);
		mkdirSync(join(target, ".."), { recursive: true });
		// Tests that run at the same time each build it; none may see half a file.
		writeFileSync(`${target}.${process.pid}`, html);
		renameSync(`${target}.${process.pid}`, target);
	} finally {
		await build.close();
	}
}

const pageOf = (
	policy: string,
	style: string,
	script: string,
): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<meta name="color-scheme" content="light dark">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>DataChain board</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<div id="app"></div>
<noscript>This page needs JavaScript, which it carries itself.</noscript>
<script type="application/json" id="embedded">null</script>
<script>${script}</script>
</body>
</html>
`;
