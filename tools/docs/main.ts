import {
	copyFileSync,
	existsSync,
	mkdirSync,
	readFileSync,
	writeFileSync,
} from "node:fs";
import { basename, join, posix, relative, resolve } from "node:path";
import type { Application, DocumentReflection, Reflection } from "typedoc" with {
	"resolution-mode": "import",
};
import { exitWith } from "../process/exit-with";
import { repository } from "../repository";
import { pageFoot, sectionsOf, withPart, withPictures, withWideColumns } from "./html";
import { EXAMPLES, type SitePage, sitePages } from "./pages";
import { type Place, placesOfPage, searchScript } from "./search-index";

/** The public entry points, by the module's name that typedoc makes of their place. */
const MODULES: Readonly<Record<string, string>> = {
	index: "pulumi-datachain",
	client: "pulumi-datachain/client",
	server: "pulumi-datachain/server",
	provider: "pulumi-datachain/provider",
};
const SOURCES = [
	"src/index.ts",
	"src/client/index.ts",
	"src/server/index.ts",
	"src/provider/index.ts",
];

const { repository: home } = JSON.parse(
	readFileSync(join(repository, "package.json"), "utf8"),
);
const REPOSITORY_URL = String(home.url).replace(/^git\+|\.git$/g, "");

/** Every page and the reference of all public names, as a site that needs no network. */
export async function buildSite(out: string): Promise<boolean> {
	// typedoc is an ES module, which this one is not.
	const typedoc = await import("typedoc");
	const pages = sitePages();
	const app = await typedoc.Application.bootstrap({
		entryPoints: SOURCES.map((path) => join(repository, path)),
		tsconfig: join(repository, "tsconfig.json"),
		name: "pulumi-datachain",
		includeVersion: true,
		readme: join(repository, "README.md"),
		projectDocuments: pages.map(({ path }) => join(repository, path)),
		out,
		groupOrder: [...new Set(pages.map(({ part }) => part)), EXAMPLES, "Modules", "*"],
		navigation: {
			includeGroups: true,
			includeCategories: false,
			includeFolders: false,
		},
		highlightLanguages: ["typescript", "sh", "python", "yaml", "go", "json"],
		customCss: join(repository, "tools", "docs", "site.css"),
		customJs: join(repository, "tools", "docs", "site.js"),
		excludePrivate: true,
		excludeInternal: true,
		excludeExternals: true,
		disableGit: true,
		disableSources: true,
		hideGenerator: true,
		validation: {
			invalidLink: true,
			invalidPath: true,
			rewrittenLink: true,
			notExported: false,
		},
		treatWarningsAsErrors: true,
		treatValidationWarningsAsErrors: true,
	});
	const pageOf = (reflection: Reflection): SitePage | undefined => {
		if (!reflection.isDocument()) return undefined;
		const path = sourceOf(reflection);
		const page = pages.find((each) => each.path === path);
		if (page === undefined) throw new Error(`${path} is no page of the site`);
		return page;
	};
	/** An address follows from the file of a page, so that a new title breaks no link. */
	class PageRouter extends typedoc.KindRouter {
		protected override getIdealBaseName(reflection: Reflection): string {
			return pageOf(reflection)?.address ?? super.getIdealBaseName(reflection);
		}
	}
	app.renderer.defineRouter("page", PageRouter);
	app.options.setValue("router", "page");
	app.converter.on(typedoc.Converter.EVENT_CREATE_DOCUMENT, (_, document) => {
		const page = pageOf(document);
		if (page === undefined) return;
		document.name = page.title;
		document.frontmatter.group = page.part;
	});
	app.converter.on(typedoc.Converter.EVENT_CREATE_DECLARATION, (_, reflection) => {
		if (!reflection.kindOf(typedoc.ReflectionKind.Module)) return;
		const name = MODULES[reflection.name];
		if (name === undefined)
			throw new Error(`${reflection.name} is no entry point of the package`);
		reflection.name = name;
	});
	app.renderer.hooks.on("head.end", ({ relativeURL }) =>
		typedoc.JSX.createElement("script", {
			defer: true,
			src: relativeURL("assets/site-search.js"),
		}),
	);
	app.renderer.hooks.on("content.end", ({ page: { model } }) => {
		const page = pageOf(model);
		return typedoc.JSX.createElement(typedoc.JSX.Raw, {
			html: pageFoot(pages, page, REPOSITORY_URL),
		});
	});
	const places: Place[] = [];
	app.renderer.on(typedoc.Renderer.EVENT_END_PAGE, (event) => {
		if (!event.isReflectionEvent() || event.contents === undefined) return;
		const page = pageOf(event.model);
		if (page === undefined && event.url !== "index.html") return;
		let html = withPictures(event.contents, (source) => darkForm(source, out));
		html = withWideColumns(html);
		event.contents = page === undefined ? html : withPart(html, page.part);
		const [title, isForUsers] = [
			page?.title ?? event.model.name,
			page?.isForUsers ?? true,
		];
		places.push(
			...placesOfPage(
				{ title, isForUsers, url: event.url },
				sectionsOf(event.contents),
			),
		);
	});
	// typedoc's own search finds whole pages only. Ours takes its place, and has the same list of names.
	const names: Place[] = [];
	app.renderer.on(typedoc.Renderer.EVENT_PREPARE_INDEX, ({ searchResults }) => {
		for (const reflection of searchResults) names.push(...placeOfName(app, reflection));
	});
	const project = await app.convert();
	if (project === undefined) return false;
	// The site shows the project's name above the README, so its own heading would be a second title.
	const [first] = project.readme ?? [];
	if (first?.kind === "text") first.text = first.text.replace(/^# .+\n+/, "");
	app.validate(project);
	await app.generateOutputs(project);
	writeFileSync(join(out, "assets", "search.js"), searchScript([...places, ...names]));
	copyFileSync(
		join(repository, "tools", "docs", "search.js"),
		join(out, "assets", "site-search.js"),
	);
	return !app.logger.hasErrors() && !app.logger.hasWarnings();
}

/** Of a page, below the repository and with forward slashes. */
function sourceOf(document: DocumentReflection): string {
	const file = document.project.files.getReflectionPath(document);
	return relative(repository, file ?? "").replaceAll("\\", "/");
}

/** `x-dark.png` beside `x.png` or `x-light.png` is its form for a dark page. */
function darkForm(source: string, out: string): string | undefined {
	const file = basename(source).replace(/(?:-light)?\.(\w+)$/, "-dark.$1");
	const from = join(repository, "docs", "images", file);
	if (!existsSync(from)) return undefined;
	mkdirSync(join(out, "media"), { recursive: true });
	copyFileSync(from, join(out, "media", file));
	return posix.join(posix.dirname(source), file);
}

/** A name of the reference, with the first line of its description. */
function placeOfName({ renderer }: Application, reflection: Reflection): Place[] {
	const url = renderer.router?.getFullUrl(reflection);
	if (reflection.isDocument() || url === undefined) return [];
	const { comment, name, parent } = reflection;
	const owner =
		parent === undefined || parent.isProject() ? "" : parent.getFriendlyFullName();
	const text = (comment?.summary ?? []).map((part) => part.text).join("");
	return [
		{ title: owner, heading: name, url, text: text.replace(/\s+/g, " "), isName: true },
	];
}

/** `npm run docs` */
if (require.main === module)
	exitWith(
		buildSite(resolve(process.argv[2] ?? join(repository, "site"))).then((passed) =>
			passed ? 0 : 1,
		),
	);
