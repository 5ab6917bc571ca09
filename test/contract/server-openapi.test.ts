import { expect, it } from "vitest";
import { endpoints } from "../../src/schemas/endpoints";
import { send, testServer } from "../helpers/server-harness";

interface Operation {
	readonly parameters: readonly { readonly name: string }[];
	readonly requestBody?: unknown;
}

it("the OpenAPI document is valid, needs no token, and has every endpoint with its fields", async () => {
	const { url } = await testServer({ empty: true });
	const { status, json, text } = await send(`${url}/api/openapi.json`);
	expect(status).toBe(200);
	const { Validator } = await import("@seriousme/openapi-schema-validator");
	expect(await new Validator().validate(structuredClone(json) as Record<string, unknown>)).toEqual({
		valid: true,
	});
	const document = json as {
		paths: Record<string, Record<string, Operation>>;
		components: Record<string, object>;
	};
	for (const [name, endpoint] of Object.entries(endpoints)) {
		const operation = document.paths[endpoint.path]?.[endpoint.method.toLowerCase()];
		expect(operation, name).toMatchObject({ operationId: name, summary: endpoint.summary });
		const parameters = operation?.parameters.map((parameter) => parameter.name);
		expect(parameters, name).toEqual(expect.arrayContaining(Object.keys(endpoint.query)));
		expect(operation?.requestBody !== undefined, name).toBe(endpoint.body !== undefined);
	}
	for (const [, kind = "", name = ""] of text.matchAll(/"#\/components\/(\w+)\/(\w+)"/g)) {
		expect(document.components[kind], `${kind}/${name}`).toHaveProperty(name);
	}
	expect(text).not.toMatch(/\$defs|"\$id"|"\$schema"/);
});
