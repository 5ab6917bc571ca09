import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, posix, relative } from "node:path";
import type { DocumentReflection } from "typedoc" with { "resolution-mode": "import" };
import { exitWith } from "../process/exit-with";
import { repository } from "../repository";

/** The public entry points, by the module's name that typedoc makes of their place. */
const MODULES: Readonly<Record<string, string>> = {
	index: "pulumi-datachain",
	api: "pulumi-datachain/client",
	server: "pulumi-datachain/server",
	provider: "pulumi-datachain/provider",
};
const SOURCES = ["src/index.ts", "src/api/index.ts", "src/server/index.ts", "src/provider/index.ts"];
const OUT = join(repository, "site");

/** A page of the site, and the part of the index under which it stands. */
interface SitePage {
	/** Path below the repository. */
	readonly path: string;
	readonly title: string;
	readonly part: string;
}

const INDEX = "docs/README.md";
const EXAMPLES = "Examples";

/** `npm run docs`: the reference of all public names and every page, as a site that needs no network. */
async function main(): Promise<number> {
	// typedoc is an ES module, which this one is not.
	const { Application, Converter, ReflectionKind } = await import("typedoc");
	const pages = sitePages();
	const app = await Application.bootstrap({
		entryPoints: SOURCES.map((path) => join(repository, path)),
		tsconfig: join(repository, "tsconfig.json"),
		name: "pulumi-datachain",
		readme: join(repository, "README.md"),
		projectDocuments: pages.map(({ path }) => join(repository, path)),
		out: OUT,
		groupOrder: [...new Set(pages.map(({ part }) => part)), EXAMPLES, "Modules", "*"],
		navigation: { includeGroups: true, includeCategories: false, includeFolders: false },
		highlightLanguages: ["typescript", "sh", "python", "yaml", "go", "json"],
		customCss: join(repository, "tools", "docs", "site.css"),
		customJs: join(repository, "tools", "docs", "site.js"),
		searchInDocuments: true,
		searchInComments: true,
		// A reader looks for a page more often than for a name of the client.
		searchGroupBoosts: Object.fromEntries(pages.map(({ part }) => [part, 5])),
		excludePrivate: true,
		excludeInternal: true,
		excludeExternals: true,
		disableGit: true,
		disableSources: true,
		hideGenerator: true,
		validation: { invalidLink: true, invalidPath: true, rewrittenLink: true, notExported: false },
		treatWarningsAsErrors: true,
		treatValidationWarningsAsErrors: true,
	});
	app.converter.on(Converter.EVENT_CREATE_DOCUMENT, (_, document) => name(pages, document));
	app.converter.on(Converter.EVENT_CREATE_DECLARATION, (_, reflection) => {
		if (reflection.kindOf(ReflectionKind.Module))
			reflection.name = MODULES[reflection.name] ?? reflection.name;
	});
	const project = await app.convert();
	if (project === undefined) return 1;
	// The site shows the project's name above the README, so its own heading would be a second title.
	const [first] = project.readme ?? [];
	if (first?.kind === "text") first.text = first.text.replace(/^# .+\n+/, "");
	app.validate(project);
	await app.generateOutputs(project);
	return app.logger.hasErrors() || app.logger.hasWarnings() ? 1 : 0;
}

/** A page has the name of its heading in the menu. */
function name(pages: readonly SitePage[], document: DocumentReflection): void {
	const file = document.project.files.getReflectionPath(document);
	const path = relative(repository, file ?? "").replaceAll("\\", "/");
	const page = pages.find((each) => each.path === path);
	if (page === undefined) throw new Error(`${path} is no page of the site`);
	document.name = page.title;
	document.frontmatter.group = page.part;
}

/** The pages in the order of the index: what is not in it has no place in the site. */
function sitePages(): SitePage[] {
	const examples = readdirSync(join(repository, "examples"))
		.map((name) => `examples/${name}/README.md`)
		.filter((path) => existsSync(join(repository, path)))
		.map((path) => ({ path, part: EXAMPLES }));
	const others = ["bench/speed/README.md", "src/resources/README.md"].map((path) => ({
		path,
		part: "Internals",
	}));
	return [{ path: INDEX, part: "Get started" }, ...indexed(), ...others, ...examples].map((page) => ({
		...page,
		title: titleOf(page.path),
	}));
}

function indexed(): { path: string; part: string }[] {
	let part = "";
	return read(INDEX)
		.split("\n")
		.flatMap((line) => {
			part = /^## (.+)$/.exec(line)?.[1] ?? part;
			const links = [...line.matchAll(/\]\(([^)#]+\.md)\)/g)];
			return links.map(([, target = ""]) => ({ path: posix.join(dirname(INDEX), target), part }));
		});
}

const read = (path: string): string => readFileSync(join(repository, path), "utf8");

/** The first heading. Backticks have no meaning in a menu. */
function titleOf(path: string): string {
	const [, title] = /^# (.+)$/m.exec(read(path)) ?? [];
	if (title === undefined) throw new Error(`${path} has no title`);
	return title.replaceAll("`", "");
}

exitWith(main());
