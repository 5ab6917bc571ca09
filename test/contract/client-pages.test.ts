import { beforeEach, describe, expect, test } from "vitest";
import type { DataChainClient } from "../../src/api";
import { connect } from "../helpers/api-connect";
import { type Exchange, json, type RawServer } from "../helpers/api-servers";

let server: RawServer;
let client: DataChainClient;
let pages: readonly (readonly number[])[];
let link: (next: number) => string;

const pageOf = ({ request }: Exchange): number =>
	Number(request.query.find(([key]) => key === "page")?.[1] ?? 1);

beforeEach(async () => {
	link = (next) => `<https://elsewhere.example/internal?page=1>; rel="first", <?page=${next}>; rel="next"`;
	({ server, client } = await connect((exchange) => {
		const page = pageOf(exchange);
		const isPipelines = exchange.request.path.endsWith("/pipeline/list");
		const rows = (pages[page - 1] ?? []).map((id) => (isPipelines ? { pipeline_id: `p-${id}` } : { id }));
		const more: Record<string, string> = page < pages.length ? { Link: link(page + 1) } : {};
		json(exchange.response, 200, rows, more);
	}));
});

const idsOf = async () => (await client.schedules.list()).map(({ id }) => id);
const queries = () => server.requests.map(({ query }) => Object.fromEntries(query));

describe("a list that the service sends in pages", () => {
	test.each([
		["odd sizes", [[1, 2, 3], [4], [5, 6]], [1, 2, 3, 4, 5, 6]],
		[
			"pages that overlap",
			[
				[1, 2],
				[2, 3],
				[3, 4],
			],
			[1, 2, 3, 4],
		],
		["one page with an element twice", [[1, 2, 1]], [1, 2]],
	])("is read to its end: %s", async (_, sent, read) => {
		pages = sent;
		expect(await idsOf()).toEqual(read);
		expect(queries()).toHaveLength(sent.length);
		for (const query of queries()) expect(query.team_name).toBe("ml");
	});

	test("goes to the base URL and to its own team, whatever the address of the next page says", async () => {
		pages = [[1], [2]];
		link = (next) => `<https://elsewhere.example/x?team_name=theirs&page=${next}>; rel=next`;
		expect(await idsOf()).toEqual([1, 2]);
		expect(queries()).toEqual([{ team_name: "ml" }, { team_name: "ml", page: "2" }]);
	});

	test.each([
		["a next page that is the same again", () => '<?page=1>; rel="next"'],
		["an address that is none", () => '<http://[>; rel="next"'],
		["no next page", () => '<?page=1>; rel="prev"'],
	])("ends with %s", async (_, named) => {
		pages = [[1], [2]];
		link = named;
		expect(await idsOf()).toEqual([1]);
	});

	test("fails if it never ends, because a part of it proves nothing", async () => {
		pages = Array.from({ length: 1_001 }, (_, page) => [page + 1]);
		await expect(idsOf()).rejects.toThrow(
			"The service sends more than 1000 pages in reply to listSchedules, and names a next one. A part of a list proves nothing, so " +
				"nothing was done with it. Contact the operator of the service.",
		);
		expect(queries()).toHaveLength(1_000);
	});

	test("ends at a page without new elements, although that names a next one", async () => {
		pages = [[1], [2], [2], [3]];
		expect(await idsOf()).toEqual([1, 2]);
	});

	test.each([
		["that was asked for", { limit: 13 }, 3],
		["that the service has for pipelines", {}, 5],
	])("is read up to the limit %s", async (_, query, read) => {
		pages = Array.from({ length: 9 }, (_, page) => [0, 1, 2, 3, 4].map((row) => page * 4 + row));
		expect(await client.pipelines.list(query)).toHaveLength(read * 4 + 1);
		expect(queries()).toHaveLength(read);
	});
});
