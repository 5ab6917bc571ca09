import { createHash } from "node:crypto";
import { PAGE_STYLE } from "./page-style";
import { type Html, text } from "./section-html";

export interface Page {
	readonly title: string;
	readonly heading: string;
	/** Sentences under the heading. */
	readonly lines: readonly string[];
	readonly body: Html;
	/** Added to the style that all pages share. */
	readonly style?: string;
	/** The page's own script; nothing else in it can run. */
	readonly script?: string;
}

/** One page that needs nothing else: to be kept as an artifact, mailed, or put on a web server. */
export function renderPage({ title, heading, lines, body, style = "", script }: Page): Html {
	const hash = script && createHash("sha256").update(script).digest("base64");
	const allowed = hash === undefined ? "" : `; script-src 'sha256-${hash}'`;
	return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'${allowed}">
<title>${text(title)}</title>
<style>${PAGE_STYLE}${style}</style>
</head>
<body>
<main>
<h1>${text(heading)}</h1>
${lines.map((line) => `<p>${text(line)}</p>`).join("\n")}
${body}
</main>
${script === undefined ? "" : `<script>${script}</script>\n`}</body>
</html>
`;
}
