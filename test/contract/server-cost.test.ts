import { expect, it } from "vitest";
import { z } from "zod";
import { parseShape } from "../../src/server/app";

it("the local server builds the schema of an endpoint's fields once, and not for each request", () => {
	let walks = 0;
	const shape = new Proxy(
		{ team_name: z.string(), limit: z.number().optional() },
		{
			ownKeys: (target) => {
				walks += 1;
				return Reflect.ownKeys(target);
			},
		},
	);
	const fields = { team_name: "ml", limit: 5 };
	expect(parseShape(shape, fields)).toEqual(fields);
	const first = walks;
	expect(first).toBeGreaterThan(0);
	for (let count = 0; count < 5; count += 1) parseShape(shape, fields);
	expect(walks).toBe(first);
});
