import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { type Filter, Toolbar, useFiltered, useNarrow, usePrinting } from "./parts";
import { setParams, useRoute } from "./store";

export interface Column<Row> {
	readonly head: string;
	/** A track of a CSS grid. */
	readonly width: string;
	readonly cell: (row: Row) => ComponentChildren;
	/** What the column is sorted by; null comes last. */
	readonly sort?: (row: Row) => string | number | null;
	readonly class?: string;
}

/** Rows drawn beyond the edges of the window. */
const MARGIN = 8;
/** Rows of a list on paper. */
const MOST_PRINTED = 1_000;

/** Which rows of equal height are in the window, as it or a box in it scrolls; on paper the first, or the last. */
export function useWindowed<Box extends HTMLElement = HTMLDivElement>(
	count: number,
	height: number,
	{ printsEnd = false } = {},
) {
	const ref = useRef<Box>(null);
	const printing = usePrinting();
	const [range, setRange] = useState({ from: 0, to: 40 });
	useLayoutEffect(() => {
		let frame = 0;
		const look = () => {
			frame = 0;
			const top = -(ref.current?.getBoundingClientRect().top ?? 0);
			const from = Math.max(0, Math.floor(top / height) - MARGIN);
			const to = Math.max(0, Math.ceil((top + innerHeight) / height) + MARGIN);
			setRange((old) => (old.from === from && old.to === to ? old : { from, to }));
		};
		const soon = () => {
			frame ||= requestAnimationFrame(look);
		};
		look();
		// Captured, because the scrolling of a box does not bubble.
		addEventListener("scroll", soon, { passive: true, capture: true });
		addEventListener("resize", soon);
		return () => {
			cancelAnimationFrame(frame);
			removeEventListener("scroll", soon, { capture: true });
			removeEventListener("resize", soon);
		};
	}, [height, count]);
	const first = printsEnd ? Math.max(0, count - MOST_PRINTED) : 0;
	const { from, to } = printing ? { from: first, to: first + MOST_PRINTED } : range;
	return { ref, from: Math.min(from, count), to: Math.min(to, count), printing };
}

/**
 * A table with its search and filters, of which only the rows in the window are drawn. Heads sort it; search, filters
 * and order stand in the address.
 */
export function Table<Row extends { readonly id: string }>(props: {
	label: string;
	/** What a row is, in the singular. */
	what: string;
	rows: readonly Row[];
	/** What the search looks in. */
	texts: (row: Row) => readonly (string | null)[];
	filters?: readonly Filter<Row>[];
	columns: readonly Column<Row>[];
	/** Pixels, on a wide and on a narrow screen. */
	heights: readonly [wide: number, narrow: number];
	/** `head`, or `-head` for the other direction. */
	order?: string;
	/** Said if there are no rows. */
	empty: string;
}) {
	const {
		label,
		what: noun,
		rows,
		texts,
		filters = [],
		columns,
		heights,
		empty,
	} = props;
	const { params } = useRoute();
	const order = params.get("sort") ?? props.order ?? "";
	const narrow = useNarrow();
	const filtered = useFiltered(rows, texts, filters);
	const sorted = useMemo(() => sortRows(filtered, columns, order), [filtered, order]);
	const height = heights[narrow ? 1 : 0];
	const { ref, from, to, printing } = useWindowed(sorted.length, height);
	const tracks = {
		"grid-template-columns": columns.map(({ width }) => width).join(" "),
	};
	const space = printing ? {} : { height: `${sorted.length * height}px` };
	// A view that is opened begins at its top.
	useEffect(() => scrollTo(0, 0), [label]);
	return (
		<>
			<Toolbar what={noun} shown={sorted.length} all={rows.length} filters={filters} />
			<div
				class="table"
				role="table"
				aria-label={label}
				aria-rowcount={sorted.length + 1}
			>
				<div role="rowgroup" class="heads">
					<div role="row" class="row" style={tracks}>
						{columns.map(({ head, sort, class: kind }) => (
							<div
								role="columnheader"
								key={head}
								class={kind}
								aria-sort={sortOf(head, order, sort !== undefined)}
							>
								{sort === undefined ? (
									head
								) : (
									<button
										type="button"
										onClick={() =>
											setParams({ sort: order === head ? `-${head}` : head })
										}
									>
										{head}
										<span aria-hidden="true">
											{order === head ? " ↑" : order === `-${head}` ? " ↓" : ""}
										</span>
									</button>
								)}
							</div>
						))}
					</div>
				</div>
				<div role="rowgroup" class="rows" ref={ref} style={space}>
					{sorted.slice(from, to).map((row, index) => (
						<div
							role="row"
							class="row"
							key={row.id}
							aria-rowindex={from + index + 2}
							style={
								printing
									? tracks
									: {
											...tracks,
											height: `${height}px`,
											top: `${(from + index) * height}px`,
										}
							}
						>
							{columns.map(({ head, cell, class: kind }) => (
								<div role="cell" key={head} class={kind} data-head={head}>
									{cell(row)}
								</div>
							))}
						</div>
					))}
				</div>
				{sorted.length === 0 && (
					<p class="empty">{rows.length === 0 ? empty : "Nothing matches."}</p>
				)}
				{printing && to < sorted.length && <p>{`and ${sorted.length - to} more`}</p>}
			</div>
		</>
	);
}

function sortOf(
	head: string,
	order: string,
	sortable: boolean,
): "ascending" | "descending" | "none" | undefined {
	if (!sortable) return undefined;
	return order === head ? "ascending" : order === `-${head}` ? "descending" : "none";
}

function sortRows<Row>(
	rows: readonly Row[],
	columns: readonly Column<Row>[],
	order: string,
): readonly Row[] {
	const head = order.replace(/^-/, "");
	const key = columns.find((column) => column.head === head)?.sort;
	if (key === undefined) return rows;
	const sign = order.startsWith("-") ? -1 : 1;
	const keyed = rows.map((row) => [key(row), row] as const);
	keyed.sort(([a], [b]) => {
		if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
		return a === b ? 0 : (a < b ? -1 : 1) * sign;
	});
	return keyed.map(([, row]) => row);
}
