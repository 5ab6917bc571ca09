import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { outcomeOf, pipelineLink } from "../../team/snapshot";
import { dateTime, lengthWords, many, messageOf, visible } from "./format";
import { Copy, Search, Status } from "./parts";
import { askLog, type Data, embedded, setParams, useRoute } from "./store";
import { useWindowed } from "./table";

const POLL_MILLIS = 2_000;
const ROW = 20;
const MOST_MATCHES = 100_000;
/** From one match of a search to another. */
const STEPS = [
	["Previous match", "↑", -1],
	["Next match", "↓", 1],
] as const;

interface Loaded {
	readonly job: string;
	readonly lines: string[];
	/** The number of the first line. */
	first: number;
	status: string;
	isComplete: boolean;
	problem: string | null;
}

/** A log, read on as long as the job writes. Draws again with every part. */
function useLog(job: string): Loaded {
	const [, redraw] = useState(0);
	const ref = useRef<Loaded | undefined>(undefined);
	if (ref.current?.job !== job)
		ref.current = {
			job,
			lines: [],
			first: 0,
			status: "",
			isComplete: false,
			problem: null,
		};
	const log = ref.current;
	useEffect(() => {
		if (embedded !== null) return;
		let timer = 0;
		let isCurrent = true;
		const read = async () => {
			let pause = POLL_MILLIS;
			try {
				const from = log.first + log.lines.length;
				const part = await askLog(job, from);
				// Another log may have been opened meanwhile.
				if (!isCurrent) return;
				if (part.from > from) [log.first, log.lines.length] = [part.from, 0];
				for (const line of part.lines) log.lines.push(readable(line));
				if (part.lines.length >= 10_000) pause = 0;
				Object.assign(log, {
					status: part.status,
					isComplete: part.isComplete,
					problem: part.problem,
				});
			} catch (error) {
				log.problem = messageOf(error);
			}
			if (!isCurrent) return;
			redraw((count) => count + 1);
			if (!log.isComplete) timer = setTimeout(read, pause);
		};
		void read();
		return () => {
			isCurrent = false;
			clearTimeout(timer);
		};
	}, [job]);
	return log;
}

/** Without the sequences that colour a terminal; other control characters are shown as what they are. */
const readable = (line: string): string =>
	line
		// biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is meant.
		.replace(/\u001b(?:\[[\d;?]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\))/g, "")
		.replace(/\r$/, "")
		.replaceAll("\t", "    ")
		.replace(/\p{Cc}/gu, "\ufffd");

const canvas = document.createElement("canvas").getContext("2d");

/** The log's font has one width, whichever font the machine has. */
function characterWidth(element: HTMLElement): number {
	if (canvas === null) return 8;
	canvas.font = getComputedStyle(element).font;
	return canvas.measureText("0".repeat(100)).width / 100 || 8;
}

/** Rows on the screen: where each line begins if lines are wrapped. */
function wrapped(lines: readonly string[], columns: number): Uint32Array {
	const starts = new Uint32Array(lines.length + 1);
	for (const [index, line] of lines.entries()) {
		starts[index + 1] =
			(starts[index] ?? 0) + Math.max(1, Math.ceil(line.length / columns));
	}
	return starts;
}

/** Part of a wrapped line; a character of two units stays whole. */
function partOf(text: string, part: number, columns: number): string {
	const whole = (at: number) => (/[\udc00-\udfff]/.test(text[at] ?? "") ? at + 1 : at);
	return text.slice(whole(part * columns), whole((part + 1) * columns));
}

/** The line that a row belongs to. */
function lineAt(starts: Uint32Array, row: number): number {
	let [low, high] = [0, starts.length - 2];
	while (low < high) {
		const middle = Math.ceil((low + high) / 2);
		if ((starts[middle] ?? 0) <= row) low = middle;
		else high = middle - 1;
	}
	return low;
}

export function Log({ data, job: id }: { data: Data; job: string }) {
	const { params } = useRoute();
	const log = useLog(id);
	const { lines } = log;
	const wrap = params.get("wrap") !== "no";
	const follow = params.get("follow") !== "no";
	const search = (params.get("q") ?? "").toLowerCase();
	const box = useRef<HTMLDivElement>(null);
	const [width, setWidth] = useState(120);
	const [current, setCurrent] = useState(0);
	const digits = String(log.first + lines.length).length + 1;
	const columns = Math.max(20, width - digits - 2);
	const starts = useMemo(
		() => wrapped(lines, wrap ? columns : 1e9),
		[lines.length, wrap, columns, id],
	);
	const rows = starts[lines.length] ?? 0;
	const matches = useMemo(() => {
		const places: number[] = [];
		if (search === "") return places;
		for (
			let index = 0;
			index < lines.length && places.length < MOST_MATCHES;
			index += 1
		) {
			if (lines[index]?.toLowerCase().includes(search)) places.push(index);
		}
		return places;
	}, [lines.length, search, id]);

	// On paper, the end of the log.
	const windowed = useWindowed(rows, ROW, { printsEnd: true });
	const { from: firstRow, to: lastRow, printing } = windowed;
	const origin = printing ? firstRow : 0;
	useLayoutEffect(() => {
		const element = box.current;
		if (element === null) return;
		// Whoever opens a log wants to see it.
		element.scrollIntoView({ block: "nearest" });
		const measure = () =>
			setWidth(Math.floor((element.clientWidth - 24) / characterWidth(element)));
		measure();
		const observer = new ResizeObserver(measure);
		observer.observe(element);
		return () => observer.disconnect();
	}, [id]);
	useLayoutEffect(() => {
		if (follow && search === "" && box.current)
			box.current.scrollTop = box.current.scrollHeight;
	}, [rows, follow, search === ""]);
	const goTo = (index: number) => {
		const at = (index + matches.length) % matches.length;
		setCurrent(at);
		const row = starts[matches[at] ?? 0] ?? 0;
		if (box.current) box.current.scrollTop = row * ROW - box.current.clientHeight / 2;
	};
	useEffect(() => {
		if (matches.length > 0) goTo(0);
	}, [search, matches.length > 0]);

	const onScroll = () => {
		const element = printing ? null : box.current;
		// Who scrolls back wants to read, not to follow.
		if (
			element &&
			follow &&
			element.scrollHeight - element.scrollTop - element.clientHeight > 3 * ROW
		)
			setParams({ follow: "no" });
	};
	const download = () => {
		const link = document.createElement("a");
		link.href = URL.createObjectURL(
			new Blob([`${lines.join("\n")}\n`], { type: "text/plain" }),
		);
		link.download = `${id}.log`;
		link.click();
		setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
	};
	const job = data.lists.jobs.find((row) => row.id === id);
	const pipeline = data.pipelineOfJob.get(id);
	const status = log.status || job?.status || "UNKNOWN";
	return (
		<article class="log-view">
			<h2>
				{visible(job?.name ?? id)} <Status status={status} />
			</h2>
			<p class="dim facts-line">
				{pipeline && (
					<a href={`#${pipelineLink(pipeline.id)}`}>{visible(pipeline.name)}</a>
				)}
				{job?.start && <span>started {dateTime(job.start)}</span>}
				{job?.start && job.end !== null && (
					<span>took {lengthWords(job.end - job.start)}</span>
				)}
				{job?.cluster && <span>cluster {visible(job.cluster)}</span>}
				{job?.by && <span>by {visible(job.by)}</span>}
			</p>
			{job?.error && <p class="error">{visible(job.error)}</p>}
			<search class="toolbar">
				<Search
					label="Search in the log"
					placeholder="Search in the log"
					onEnter={(isBack) => matches.length > 0 && goTo(current + (isBack ? -1 : 1))}
				/>
				{search !== "" && (
					<>
						<span role="status">
							{matches.length === 0
								? "not found"
								: `${current + 1} of ${many(matches.length, "line")}`}
						</span>
						{STEPS.map(([label, arrow, step]) => (
							<button
								type="button"
								key={label}
								disabled={matches.length === 0}
								onClick={() => goTo(current + step)}
								aria-label={label}
							>
								{arrow}
							</button>
						))}
					</>
				)}
				<button
					type="button"
					aria-pressed={follow}
					onClick={() => setParams({ follow: follow ? "no" : "" })}
				>
					Follow
				</button>
				<button
					type="button"
					aria-pressed={wrap}
					onClick={() => setParams({ wrap: wrap ? "no" : "" })}
				>
					Wrap
				</button>
				<button type="button" onClick={download} disabled={lines.length === 0}>
					Download
				</button>
				<span class="count" role="status">
					{many(log.first + lines.length, "line")}
					{outcomeOf(status) === "busy" && log.problem === null ? ", reading on" : ""}
				</span>
			</search>
			{log.problem !== null && <p class="error">{log.problem}</p>}
			{log.first > 0 && (
				<p>{`The first ${many(log.first, "line")} are no longer kept here; the command shows all.`}</p>
			)}
			{origin > 0 && (
				<p>{`The last ${many(rows - origin, "row")}; the download has all.`}</p>
			)}
			<section
				class={`log ${wrap ? "" : "unwrapped"}`}
				ref={box}
				tabIndex={0}
				aria-label="Log"
				onScroll={onScroll}
			>
				<div ref={windowed.ref} style={{ height: `${(rows - origin) * ROW}px` }}>
					{Array.from({ length: lastRow - firstRow }, (_, index) => {
						const row = firstRow + index;
						const line = lineAt(starts, row);
						const part = row - (starts[line] ?? 0);
						const text = lines[line] ?? "";
						const visibleText = wrap
							? partOf(text, part, columns)
							: text.slice(0, 10_000);
						const isCurrent = search !== "" && matches[current] === line;
						return (
							<div
								key={row}
								class={isCurrent ? "row current" : "row"}
								style={{ top: `${(row - origin) * ROW}px` }}
							>
								<span class="number" style={{ width: `${digits}ch` }}>
									{part === 0 ? log.first + line + 1 : ""}
								</span>
								<Marked text={visibleText} search={search} />
							</div>
						);
					})}
				</div>
			</section>
			<Copy
				command={`pulumi-datachain logs ${id}${outcomeOf(status) === "busy" ? " --follow" : ""}`}
			/>
		</article>
	);
}

/** A text with what was searched for marked in it. */
function Marked({ text, search }: { text: string; search: string }) {
	if (search === "") return <span>{text}</span>;
	const lower = text.toLowerCase();
	const parts = [];
	let at = 0;
	for (let next = lower.indexOf(search); next >= 0; next = lower.indexOf(search, at)) {
		parts.push(
			text.slice(at, next),
			<mark key={next}>{text.slice(next, next + search.length)}</mark>,
		);
		at = next + search.length;
	}
	return (
		<span>
			{parts}
			{text.slice(at)}
		</span>
	);
}
