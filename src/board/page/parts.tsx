import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import {
	asTyped,
	type Outcome,
	outcomeOf,
	type PipelineRow,
	type RunRow,
	type TableName,
} from "../../team/snapshot";
import { lengthWords, many, visible } from "./format";
import { type Data, followed, setParams, useData, useRoute } from "./store";

export const OUTCOMES: Readonly<
	Record<Outcome, { readonly mark: string; readonly word: string }>
> = {
	good: { mark: "✓", word: "succeeded" },
	bad: { mark: "✕", word: "failed" },
	busy: { mark: "▶", word: "running" },
	waiting: { mark: "…", word: "waiting" },
	stopped: { mark: "■", word: "canceled" },
};

/** A status with a colour and a sign of its own. */
export const Status = ({ status }: { status: string }) => {
	const outcome = outcomeOf(status);
	return (
		<span class={`status ${outcome}`}>
			<span aria-hidden="true">{OUTCOMES[outcome].mark}</span>{" "}
			{status.toLowerCase().replaceAll("_", " ")}
		</span>
	);
};

/** One line, cut off where there is no more room, and whole as its title; a link if it leads somewhere. */
export function Line(props: {
	text: string | null;
	link?: string | undefined;
	kind?: string;
	title?: string;
}) {
	const { link, kind } = props;
	const text = props.text === null ? null : visible(props.text);
	const title = visible(props.title ?? props.text ?? "");
	const attributes = { class: kind === undefined ? "line" : `line ${kind}`, title };
	if (link === undefined) return <span {...attributes}>{text}</span>;
	return (
		<a {...attributes} href={`#${link}`}>
			{text}
		</a>
	);
}

/** A command to copy: the page itself changes nothing. */
export function Copy(props: { command: string }) {
	const command = asTyped(props.command, useData().typing);
	const [copied, setCopied] = useState(false);
	const copy = async () => {
		try {
			await navigator.clipboard.writeText(command);
		} catch {
			// A file opened from disk may have no clipboard.
			const area = document.createElement("textarea");
			area.value = command;
			document.body.append(area);
			area.select();
			document.execCommand("copy");
			area.remove();
		}
		setCopied(true);
		setTimeout(() => setCopied(false), 1_500);
	};
	return (
		<span class="copy">
			<code class="clamp" title={visible(command)}>
				{visible(command)}
			</code>
			<button
				type="button"
				onClick={copy}
				aria-label={`Copy the command ${visible(command)}`}
			>
				{copied ? "Copied" : "Copy"}
			</button>
		</span>
	);
}

/** What to say if there is nothing. Of lists that could not be read nobody knows. */
export function nothing({ unread }: Data, text: string, ...lists: TableName[]): string {
	const list = lists.find((name) => unread.includes(name));
	return list === undefined ? text : `The ${list} could not be read.`;
}

export interface Filter<Row> {
	/** Of the parameter in the address. */
	readonly name: string;
	readonly label: string;
	readonly options: readonly (readonly [value: string, text: string])[];
	/** Whether a row passes it with the chosen value; an order of rows has none. */
	readonly passes?: (row: Row, value: string) => boolean;
}

/** The rows that the search and the filters in the address leave. */
export function useFiltered<Row>(
	rows: readonly Row[],
	texts: (row: Row) => readonly (string | null)[],
	filters: readonly Filter<Row>[],
): readonly Row[] {
	const { params } = useRoute();
	return useMemo(() => {
		const search = params.get("q") ?? "";
		return rows.filter(
			(row) =>
				filters.every(({ name, passes }) => {
					const value = params.get(name);
					return !value || !passes || passes(row, value);
				}) && matches(search, texts(row)),
		);
	}, [rows, params]);
}

/** Whether all words of a search occur in one of the texts. */
function matches(search: string, texts: readonly (string | null)[]): boolean {
	if (search === "") return true;
	const text = texts.join("\n").toLowerCase();
	return search
		.toLowerCase()
		.split(/\s+/)
		.every((word) => text.includes(word));
}

/** A field for the search, which stands in the address. */
export function Search(props: {
	label: string;
	placeholder: string;
	onEnter?: (isBack: boolean) => void;
}) {
	const { label, placeholder, onEnter } = props;
	return (
		<label class="search">
			<span class="unseen">{label}</span>
			<input
				type="search"
				placeholder={placeholder}
				value={useRoute().params.get("q") ?? ""}
				onInput={(event) => setParams({ q: event.currentTarget.value })}
				onKeyDown={(event) => event.key === "Enter" && onEnter?.(event.shiftKey)}
			/>
		</label>
	);
}

/** Search, filters and the number of what is shown; all of it stands in the address. */
export function Toolbar<Row>(props: {
	what: string;
	shown: number;
	all: number;
	filters: readonly Filter<Row>[];
	children?: ComponentChildren;
}) {
	const { params } = useRoute();
	const { what: noun, shown: visibleCount, all, filters, children } = props;
	const count =
		visibleCount === all
			? many(all, noun)
			: `${visibleCount.toLocaleString("en-US")} of ${many(all, noun)}`;
	return (
		<search class="toolbar">
			<Search label="Search" placeholder={`Search ${noun}s`} />
			{filters.map(({ name, label, options }) => (
				<label key={name}>
					<span>{label}</span>
					<select
						value={params.get(name) ?? ""}
						onChange={(event) => setParams({ [name]: event.currentTarget.value })}
					>
						{options.map(([value, text]) => (
							<option key={value} value={value}>
								{text}
							</option>
						))}
					</select>
				</label>
			))}
			{children}
			<span class="count" role="status">
				{count}
			</span>
		</search>
	);
}

export const STRIP_RUNS = 24;
const [BAR, GAP, TALL] = [5, 2, 22];
export const stripWidth = (runs: number): number => runs * (BAR + GAP) - GAP;

/** How long something took, or has taken so far; null if that is not known. */
export function lengthOf({ start, end, status }: RunRow, now: number): number | null {
	if (start === null) return null;
	if (end !== null) return end - start;
	return outcomeOf(status) === "busy" ? now - start : null;
}

/** The last runs as bars, oldest first: colour for the outcome, height for the length; a failure has a foot. */
export function Strip({
	runs,
	now,
	most = STRIP_RUNS,
}: {
	runs: readonly PipelineRow[];
	now: number;
	most?: number;
}) {
	const last = runs.slice(0, most).reverse();
	if (last.length === 0) return <span class="dim">no runs yet</span>;
	const lengths = last.map((run) => lengthOf(run, now) ?? 0);
	const longest = Math.max(1, ...lengths);
	const paths: Partial<Record<Outcome, string>> = {};
	const counts: Partial<Record<Outcome, number>> = {};
	for (const [index, { status }] of last.entries()) {
		const outcome = outcomeOf(status);
		const height = Math.max(3, Math.round(((lengths[index] ?? 0) / longest) * TALL));
		const x = index * (BAR + GAP);
		const foot = outcome === "bad" ? `M${x} ${TALL + 2}h${BAR}v2h-${BAR}z` : "";
		paths[outcome] =
			`${paths[outcome] ?? ""}M${x} ${TALL - height}h${BAR}v${height}h-${BAR}z${foot}`;
		counts[outcome] = (counts[outcome] ?? 0) + 1;
	}
	const label = Object.entries(counts)
		.map(([outcome, count]) => `${count} ${OUTCOMES[outcome as Outcome].word}`)
		.join(", ");
	const width = stripWidth(last.length);
	const text = `Last ${many(last.length, "run")}: ${label}; longest ${lengthWords(longest)}`;
	return (
		<svg
			class="strip"
			width={width}
			height={TALL + 4}
			viewBox={`0 0 ${width} ${TALL + 4}`}
			role="img"
			aria-label={text}
		>
			<title>{text}</title>
			{Object.entries(paths).map(([outcome, path]) => (
				<path key={outcome} class={outcome} d={path} />
			))}
		</svg>
	);
}

/** Follows a media query. */
function followedMedia(query: string): () => boolean {
	const media = matchMedia(query);
	const { use, changed } = followed(() => media.matches);
	media.addEventListener("change", changed);
	return use;
}

/** Whether rows are cards and graphs go downwards; the style has the width, too. */
export const useNarrow = followedMedia("(max-width: 920px)");
export const useWide = followedMedia("(min-width: 1800px)");

const paper = matchMedia("print");
let isAnnounced = false;
const { use, changed } = followed(() => isAnnounced || paper.matches);
paper.addEventListener("change", changed);
const announce = (isPrinting: boolean) => () => {
	isAnnounced = isPrinting;
	changed();
};
addEventListener("beforeprint", announce(true));
addEventListener("afterprint", announce(false));

/** True while the browser prints: lists are then drawn whole, as far as that makes sense on paper. */
export const usePrinting = use;
