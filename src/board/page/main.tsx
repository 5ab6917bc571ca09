import { type ComponentChildren, render } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { VIEWS, type View } from "../../team/snapshot";
import { Attention } from "./attention";
import { clockTime, lengthWords, useZone, visible } from "./format";
import { Jobs, Pipelines } from "./jobs";
import { Log } from "./log";
import { Pipeline } from "./pipeline";
import { Report } from "./report";
import { Schedules } from "./schedules";
import { type Data, embedded, start, useData, useRoute } from "./store";
import { Timeline } from "./timeline";

interface ViewOf {
	readonly title?: string;
	/** The list that one thing is in, to which its view belongs. */
	readonly list?: View;
	readonly show: (data: Data, id: string) => ComponentChildren;
}

const CONTENTS: Readonly<Record<View | "pipeline" | "log", ViewOf>> = {
	attention: { title: "Attention", show: (data) => <Attention data={data} /> },
	schedules: { title: "Schedules", show: (data) => <Schedules data={data} /> },
	timeline: { title: "Timeline", show: (data) => <Timeline data={data} /> },
	pipelines: { title: "Pipelines", show: (data) => <Pipelines data={data} /> },
	pipeline: { list: "pipelines", show: (data, id) => <Pipeline data={data} id={id} /> },
	jobs: { title: "Jobs", show: (data) => <Jobs data={data} /> },
	log: { list: "jobs", show: (data, id) => <Log data={data} job={id} /> },
	report: {
		title: embedded?.title ?? "Report",
		show: () =>
			embedded?.report ? (
				<Report report={embedded.report} />
			) : (
				<p class="empty">There is no report.</p>
			),
	},
};
const isView = (name: string): name is keyof typeof CONTENTS =>
	Object.hasOwn(CONTENTS, name);
const NAMED = embedded?.views ?? VIEWS.filter((view) => view !== "report");

function App() {
	const data = useData();
	const { view, argument } = useRoute();
	const {
		title = view,
		list = view,
		show,
	} = CONTENTS[isView(view) ? view : "attention"];
	useZone();
	const main = useRef<HTMLElement>(null);
	const last = useRef(`${view}/${argument}`);
	useEffect(() => {
		document.title = visible(
			`${title}${data.team && ` · ${data.team}`} · DataChain board`,
		);
	}, [title, data.team]);
	useEffect(() => {
		// Whoever goes on by keyboard or hears the page read goes on in the new view.
		if (last.current !== `${view}/${argument}`)
			main.current?.focus({ preventScroll: true });
		last.current = `${view}/${argument}`;
	}, [view, argument]);
	if (data.now === 0 && data.lost === null)
		return <p class="calm">Reading the team…</p>;
	const open = data.lists.attention.filter(
		({ severity }) => severity !== "info",
	).length;
	return (
		<>
			<button type="button" class="skip" onClick={() => main.current?.focus()}>
				Skip to the content
			</button>
			<header>
				<h1>
					{visible(data.team || "DataChain")}{" "}
					<small>{data.service.replace(/^https?:\/\//, "")}</small>
				</h1>
				<nav aria-label="Views">
					{NAMED.map((name) => (
						<a
							key={name}
							href={`#/${name}`}
							aria-current={list === name ? "page" : undefined}
						>
							{CONTENTS[name].title}
							{name === "attention" && open > 0 && <b class="count-badge">{open}</b>}
						</a>
					))}
				</nav>
				<Freshness data={data} />
			</header>
			<Notices data={data} />
			<main id="main" ref={main} tabIndex={-1}>
				{data.asOf === 0 ? (
					<p class="calm">There is no data about the team yet.</p>
				) : (
					show(data, argument)
				)}
			</main>
		</>
	);
}

/** When the data was read, and by whose clocks times are shown. */
function Freshness({ data }: { data: Data }) {
	const [zone, change] = useZone();
	return (
		<div class="fresh">
			<button type="button" onClick={change} title="Show times by other clocks">
				{zone}
			</button>
			<span>{data.asOf === 0 ? "no data yet" : `as of ${clockTime(data.asOf)}`}</span>
		</div>
	);
}

const STALE_MILLIS = 60_000;

/** What is wrong with the data: how old it is, why, and what it lacks. */
function Notices({ data }: { data: Data }) {
	const [now, setNow] = useState(Date.now);
	// By the page's own clock, which goes on while nobody answers.
	const readAt = useMemo(
		() => Date.now() - Math.max(0, data.now - data.asOf),
		[data.asOf],
	);
	useEffect(() => {
		const timer = setInterval(() => setNow(Date.now()), 1_000);
		return () => clearInterval(timer);
	}, []);
	const age = now - readAt;
	const reason =
		data.lost === null
			? data.problem
			: `The board does not answer (${data.lost}). Is the command still running?`;
	const isOld =
		embedded === null &&
		(reason !== null || age > Math.max(STALE_MILLIS, 2.5 * data.every));
	const ageText =
		data.asOf === 0 ? "There is no data yet." : `The data is ${lengthWords(age)} old.`;
	return (
		<div class="notices" role="status">
			{isOld && (
				<p class="stale">
					<b>{ageText}</b> {reason ?? "The service takes long to answer."} The page
					tries again by itself.
				</p>
			)}
			{data.notes.map((note) => (
				<p class="note" key={note.slice(0, 30)}>
					{note}
				</p>
			))}
		</div>
	);
}

start();
const root = document.getElementById("app");
if (root) render(<App />, root);
