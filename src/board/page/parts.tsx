import type { ComponentChildren } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import { asTyped, type Outcome, outcomeOf, type PipelineRow } from "../snapshot";
import { lengthWords, many } from "./format";
import { setParams, useData, useRoute } from "./store";

const MARKS: Readonly<Record<Outcome, string>> = {
	good: "✓",
	bad: "✕",
	busy: "▶",
	waiting: "…",
	stopped: "■",
};

export const OUTCOME_WORDS: Readonly<Record<Outcome, string>> = {
	good: "succeeded",
	bad: "failed",
	busy: "running",
	waiting: "waiting",
	stopped: "canceled",
};

/** A status with a colour and a sign of its own. */
export const Status = ({ status }: { status: string }) => {
	const outcome = outcomeOf(status);
	return (
		<span class={`status ${outcome}`}>
			<span aria-hidden="true">{MARKS[outcome]}</span> {status.toLowerCase().replaceAll("_", " ")}
		</span>
	);
};

/** A command to copy: the page itself changes nothing. */
export function Copy(props: { command: string }) {
	const command = asTyped(props.command, useData()?.typing);
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
			<code class="clamp" title={command}>
				{command}
			</code>
			<button type="button" onClick={copy} aria-label={`Copy the command ${command}`}>
				{copied ? "Copied" : "Copy"}
			</button>
		</span>
	);
}

export interface Filter {
	/** Of the parameter in the address. */
	readonly name: string;
	readonly label: string;
	readonly options: readonly (readonly [value: string, text: string])[];
}

/** Search, filters and the number of what is shown; all of it stands in the address. */
export function Toolbar(props: {
	what: string;
	shown: number;
	all: number;
	filters?: readonly Filter[];
	children?: ComponentChildren;
}) {
	const { params } = useRoute();
	const { what, shown, all, filters = [], children } = props;
	const given = params.get("q") ?? "";
	const count = shown === all ? many(all, what) : `${shown.toLocaleString("en-US")} of ${many(all, what)}`;
	return (
		<search class="toolbar">
			<label class="search">
				<span class="unseen">Search</span>
				<input
					type="search"
					placeholder={`Search ${what}s`}
					value={given}
					onInput={(event) => setParams({ q: event.currentTarget.value })}
				/>
			</label>
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

/** Whether all words of a search occur in one of the texts. */
export function matches(search: string, ...texts: (string | null)[]): boolean {
	if (search === "") return true;
	const text = texts.join("\n").toLowerCase();
	return search
		.toLowerCase()
		.split(/\s+/)
		.every((word) => text.includes(word));
}

export const STRIP_RUNS = 24;
const [BAR, GAP, TALL] = [5, 2, 22];
export const stripWidth = (runs: number): number => runs * (BAR + GAP) - GAP;

/** How long something took, or has taken so far; null if that is not known. */
export function lengthOf(
	{ start, end, status }: { start: number | null; end: number | null; status: string },
	now: number,
): number | null {
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
		paths[outcome] = `${paths[outcome] ?? ""}M${x} ${TALL - height}h${BAR}v${height}h-${BAR}z${foot}`;
		counts[outcome] = (counts[outcome] ?? 0) + 1;
	}
	const label = Object.entries(counts)
		.map(([outcome, count]) => `${count} ${OUTCOME_WORDS[outcome as Outcome]}`)
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

/** Rows of a list on paper. */
export const MOST_PRINTED = 1_000;

/** True while the browser prints: lists are then drawn whole, as far as that makes sense on paper. */
export function usePrinting(): boolean {
	const isPaper = useMedia("print");
	const [announced, set] = useState(false);
	useLayoutEffect(() => {
		const [before, after] = [() => set(true), () => set(false)];
		addEventListener("beforeprint", before);
		addEventListener("afterprint", after);
		return () => {
			removeEventListener("beforeprint", before);
			removeEventListener("afterprint", after);
		};
	}, []);
	return isPaper || announced;
}

/** Below this width rows are cards and graphs go downwards; the style has it, too. */
export const NARROW = "(max-width: 920px)";

/** Follows a media query. */
export function useMedia(query: string): boolean {
	const [isSo, set] = useState(() => matchMedia(query).matches);
	useLayoutEffect(() => {
		const media = matchMedia(query);
		const listener = () => set(media.matches);
		// It may have changed between the drawing and now.
		listener();
		media.addEventListener("change", listener);
		return () => media.removeEventListener("change", listener);
	}, [query]);
	return isSo;
}
