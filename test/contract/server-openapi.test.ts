import { describe, expect, it } from "vitest";
import { endpoints } from "../../src/schemas/endpoints";
import { send, testServer } from "../helpers/server-harness";

interface Operation {
	parameters: { name: string; in: string; required: boolean }[];
	requestBody?: { content: Record<string, unknown> };
	responses: Record<string, unknown>;
}

interface Document {
	openapi: string;
	paths: Record<string, Record<string, Operation>>;
	components: { schemas: Record<string, object>; responses: Record<string, unknown> };
}

async function fetchDocument(): Promise<Document> {
	const { url } = await testServer({ empty: true });
	const reply = await send(`${url}/api/openapi.json`);
	expect(reply.status).toBe(200);
	return reply.json as Document;
}

describe("the OpenAPI document", () => {
	it("is valid, and needs no token", async () => {
		const document = await fetchDocument();
		const { Validator } = await import("@seriousme/openapi-schema-validator");
		const result = await new Validator().validate(
			structuredClone(document) as unknown as Record<string, unknown>,
		);
		expect(result.errors ?? []).toEqual([]);
		expect(result.valid).toBe(true);
		expect(document.openapi).toBe("3.1.0");
	});

	it("has every endpoint with its parameters, body, reply and errors", async () => {
		const { paths } = await fetchDocument();
		for (const [name, endpoint] of Object.entries(endpoints)) {
			const operation = paths[endpoint.path]?.[endpoint.method.toLowerCase()];
			expect(operation, name).toMatchObject({ operationId: name, summary: endpoint.summary });
			const parameters = operation?.parameters.map((parameter) => parameter.name) ?? [];
			expect(parameters, name).toEqual(expect.arrayContaining(Object.keys(endpoint.query)));
			expect(operation?.requestBody !== undefined, name).toBe(endpoint.body !== undefined);
			expect(Object.keys(operation?.responses ?? {}), name).toEqual(["200", "default"]);
		}
		expect(Object.keys(paths["/datachain/jobs/files"]?.post?.requestBody?.content ?? {})).toEqual([
			"multipart/form-data",
		]);
		expect(paths["/datachain/jobs/{job_id}/cancel"]?.post?.parameters).toMatchObject([
			{ name: "job_id", in: "path", required: true },
		]);
	});

	it("refers to nothing that it does not have, and names the documented objects", async () => {
		const document = await fetchDocument();
		const text = JSON.stringify(document);
		for (const [, kind, name] of text.matchAll(/"#\/components\/(\w+)\/(\w+)"/g)) {
			expect(document.components[kind as "schemas"], `${kind}/${name}`).toHaveProperty(name ?? "");
		}
		expect(text).not.toMatch(/\$defs|"\$id"|"\$schema"/);
		expect(Object.keys(document.components.schemas)).toEqual(
			expect.arrayContaining(["Job", "Pipeline", "JobPipelineRun", "PipelineSchedule", "User", "Error"]),
		);
		expect(JSON.stringify(document.components.schemas.PipelineSchedule)).toContain(
			"#/components/schemas/Pipeline",
		);
	});
});
