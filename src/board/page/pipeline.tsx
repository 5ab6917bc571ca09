import type { ComponentChildren } from "preact";
import {
	logLink,
	outcomeOf,
	type PipelineRow,
	pipelineLink,
	type StepRow,
	schedulesLink,
} from "../../team/snapshot";
import { shellWord } from "../../text/report";
import { dateTime, lengthWords, visible } from "./format";
import { Copy, Line, lengthOf, nothing, Status, Strip, useNarrow } from "./parts";
import type { Data } from "./store";

interface Shape {
	readonly isDown: boolean;
	readonly wide: number;
	/** Between a step and those that wait for it, and between steps that wait for the same. */
	readonly gap: number;
	readonly space: number;
}

const TALL = 62;
const ACROSS: Shape = { isDown: false, wide: 200, gap: 48, space: 18 };
/** For a phone: two steps fit beside each other. */
const DOWN: Shape = { isDown: true, wide: 164, gap: 32, space: 12 };

interface Placed extends StepRow {
	readonly x: number;
	readonly y: number;
}

/** Steps from left to right, or downwards: each one stands behind all that it waits for. */
function layout(steps: readonly StepRow[], { isDown, wide, gap, space }: Shape) {
	const ranks: number[] = [];
	const rankOf = (index: number, seen: readonly number[]): number => {
		const rankBefore = ranks[index];
		if (rankBefore !== undefined) return rankBefore;
		const before = (steps[index]?.after ?? []).filter(
			(at) => !seen.includes(at) && at !== index,
		);
		const rank =
			before.length === 0
				? 0
				: 1 + Math.max(...before.map((at) => rankOf(at, [...seen, index])));
		ranks[index] = rank;
		return rank;
	};
	const filled: number[] = [];
	const placed = steps.map((step, index): Placed => {
		const rank = rankOf(index, []);
		const place = filled[rank] ?? 0;
		filled[rank] = place + 1;
		return isDown
			? { ...step, x: place * (wide + space), y: rank * (TALL + gap) }
			: { ...step, x: rank * (wide + gap), y: place * (TALL + space) };
	});
	const width = Math.max(0, ...placed.map(({ x }) => x + wide));
	const height = Math.max(0, ...placed.map(({ y }) => y + TALL));
	return { placed, width, height };
}

/** An arrow from a step to one that waits for it. */
function arrow(a: Placed, b: Placed, { isDown, wide, gap }: Shape): string {
	if (isDown) {
		const [x1, y1, x2, y2] = [a.x + wide / 2, a.y + TALL, b.x + wide / 2, b.y];
		return `M${x1} ${y1}C${x1} ${y1 + gap / 2} ${x2} ${y2 - gap / 2} ${x2} ${y2 - 5}m-4 -5l4 6l4 -6`;
	}
	const [x1, y1, x2, y2] = [a.x + wide, a.y + TALL / 2, b.x, b.y + TALL / 2];
	return `M${x1} ${y1}C${x1 + gap / 2} ${y1} ${x2 - gap / 2} ${y2} ${x2 - 5} ${y2}m-5 -4l6 4l-6 4`;
}

/** The pipeline's jobs as a graph, with their status and times. */
function Graph({ pipeline, data }: { pipeline: PipelineRow; data: Data }) {
	const shape = useNarrow() ? DOWN : ACROSS;
	const { placed, width, height } = layout(pipeline.steps, shape);
	const jobs = new Map(data.lists.jobs.map((job) => [job.id, job]));
	const edges = placed.flatMap((step) =>
		step.after.flatMap((at) => (placed[at] ? [[placed[at], step] as const] : [])),
	);
	return (
		<section class="graph" aria-label="Jobs of the pipeline" tabIndex={0}>
			<div style={{ width: `${width}px`, height: `${height}px` }}>
				<svg width={width} height={height} aria-hidden="true">
					<path d={edges.map(([a, b]) => arrow(a, b, shape)).join("")} />
				</svg>
				<ol>
					{placed.map((step, index) => {
						const job = jobs.get(step.job ?? "");
						const length = job === undefined ? null : lengthOf(job, data.now);
						const place = {
							left: `${step.x}px`,
							top: `${step.y}px`,
							width: `${shape.wide}px`,
							height: `${TALL}px`,
						};
						return (
							<li
								key={step.job ?? index}
								class={`node ${outcomeOf(step.status)}`}
								style={place}
							>
								<Line text={step.name} link={job && logLink(job.id)} />
								<span class="line">
									<Status status={step.status} />{" "}
									<span class="dim">{length !== null && lengthWords(length)}</span>
								</span>
							</li>
						);
					})}
				</ol>
			</div>
		</section>
	);
}

const Fact = ({ name, children }: { name: string; children: ComponentChildren }) => (
	<div>
		<dt>{name}</dt>
		<dd>{children}</dd>
	</div>
);

export function Pipeline({ data, id }: { data: Data; id: string }) {
	const pipeline = data.pipelineById.get(id);
	if (pipeline === undefined)
		return (
			<p class="empty">
				{nothing(data, `The team has no pipeline with the id ${id}.`, "pipelines")}
			</p>
		);
	const { name, status, start, error, from, schedule } = pipeline;
	const length = lengthOf(pipeline, data.now);
	const schedules = data.lists.schedules.filter(
		(row) => row.pipeline === name || row.name === schedule,
	);
	const runs = schedules
		.flatMap((row) => data.runsOf.get(row.name) ?? [])
		.sort((a, b) => (b.start ?? 0) - (a.start ?? 0));
	const word = shellWord(name);
	const commands = [
		`pulumi-datachain pipelines ${word}`,
		`pulumi-datachain ${status === "PAUSED" ? "resume" : "pause"} ${word}`,
		...(from === null
			? []
			: [`pulumi-datachain trigger ${shellWord(from.replace(/@[\d.]+$/, ""))}`]),
	];
	return (
		<article>
			<h2>
				{visible(name)} <Status status={status} />
			</h2>
			{error !== null && <p class="error">{visible(error)}</p>}
			<dl class="facts">
				<Fact name="Made from">{visible(from ?? "not known")}</Fact>
				<Fact name="Created">{start === null ? "not known" : dateTime(start)}</Fact>
				<Fact name="Length">{length === null ? "–" : lengthWords(length)}</Fact>
				<Fact name="Schedules">
					{schedules.length === 0 && "none"}
					{schedules.slice(0, 20).map((row) => (
						<a key={row.id} href={`#${schedulesLink(row.name)}`}>
							{visible(row.name)}
						</a>
					))}
				</Fact>
				<Fact name="Last runs">
					<Strip runs={runs} now={data.now} />
				</Fact>
			</dl>
			<h3>Jobs</h3>
			{pipeline.steps.length === 0 ? (
				<p class="dim">It has no jobs.</p>
			) : (
				<Graph pipeline={pipeline} data={data} />
			)}
			{runs.length > 0 && (
				<>
					<h3>Runs</h3>
					<ul class="runs">
						{runs.slice(0, 30).map((run) => (
							<li key={run.id}>
								<a
									href={`#${pipelineLink(run.id)}`}
									aria-current={run.id === id || undefined}
								>
									{run.start === null ? run.name : dateTime(run.start)}
								</a>
								<Status status={run.status} />
								<span class="dim">
									{run.start !== null &&
										run.end !== null &&
										lengthWords(run.end - run.start)}
								</span>
							</li>
						))}
					</ul>
				</>
			)}
			<h3>Commands</h3>
			<ul class="commands">
				{commands.map((command) => (
					<li key={command}>
						<Copy command={command} />
					</li>
				))}
			</ul>
		</article>
	);
}
