import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { z } from "zod";
import { clusterSchema } from "../../src/schemas/cluster";
import { type Endpoint, endpoints } from "../../src/schemas/endpoints";
import { jobSchema } from "../../src/schemas/job";
import { jobRunSchema, pipelineSchema } from "../../src/schemas/pipeline";
import { apiObjects, inTeam, variablesReply } from "../../src/schemas/primitives";
import { scheduleItemSchema, userSchema } from "../../src/schemas/schedule";
import { camelCase } from "../../src/text/camel";
import { repository } from "../repository";

/*
 * The objects on the wire as plain interfaces, made from the schemas: whoever imports the client or the server would
 * otherwise load the declarations of zod.
 */

const schemas = join(repository, "src", "schemas");

/** `scheduleItemSchema` in schedule.ts: the interface ScheduleItem in wire/schedule.ts. */
interface WireObject {
	readonly file: string;
	readonly name: string;
	readonly schema: z.ZodObject;
}

/** Every object of the API that a file of the schemas exports; an object that another one holds is named there, not repeated. */
const NAMED: readonly WireObject[] = readdirSync(schemas)
	.filter((file) => file.endsWith(".ts"))
	.flatMap((file) => {
		const exported = Object.entries<unknown>(require(join(schemas, file)));
		return exported.flatMap(([name, schema]) => {
			if (!(schema instanceof z.ZodObject) || !apiObjects.has(schema)) return [];
			return [
				{
					file: basename(file, ".ts"),
					name: capitalized(name.replace(/Schema$/, "")),
					schema,
				},
			];
		});
	});

/** The same objects as lookups show them, with a comment each. */
const RESULTS: Readonly<Record<string, readonly [z.ZodObject, string]>> = {
	ComputeCluster: [clusterSchema, "A compute cluster of the team."],
	JobShown: [jobSchema, "A job, but for its environment."],
	PipelineJobRun: [jobRunSchema, "One job of a pipeline."],
	PipelineShown: [pipelineSchema, "A pipeline, but for its environment."],
	ScheduleCreator: [userSchema, "Who created a schedule."],
	ScheduleListItem: [
		scheduleItemSchema,
		"A schedule as the team's list shows it; `getSchedule` adds its pipeline and latest run.",
	],
};

/** Writes src/schemas/wire, which is not committed: the compiler needs it, and nothing at run time. */
export function writeWireTypes(): void {
	const folder = join(repository, "src", "schemas", "wire");
	const write = (file: string, text: string) =>
		writeFileSync(
			join(folder, `${file}.ts`),
			`// Written by \`npm run build\` from the schemas.\n${text}`,
		);
	mkdirSync(folder, { recursive: true });
	for (const file of new Set(NAMED.map((one) => one.file))) {
		const own = NAMED.filter((one) => one.file === file);
		const interfaces = own.map(({ name, schema }) =>
			interfaceOf(name, schema.shape, true),
		);
		write(file, importsOf(interfaces.join(""), file) + interfaces.join(""));
	}
	write("endpoints", endpointsFile());
	write("results", Object.entries(RESULTS).map(resultOf).join(""));
}

function endpointsFile(): string {
	const rows: [string, Endpoint][] = Object.entries(endpoints);
	const requests = rows.map(([name, endpoint]) =>
		interfaceOf(capitalized(name), requestShape(endpoint), false),
	);
	const messages = rows.map(
		([name, { reply }]) =>
			`\t${name}: { request: ${capitalized(name)}; reply: ${typeOf(reply)} };\n`,
	);
	const groups = [...new Set(rows.map(([, { client }]) => groupAndMethod(client)[0]))];
	const methods = groups.map((group) => {
		const own = rows.filter(([, { client }]) => groupAndMethod(client)[0] === group);
		return `\t${group}: {\n${own.map(clientMethod).join("")}\t};\n`;
	});
	const body = `${interfaceOf("InTeam", inTeam, false)}${requests.join("")}
/** What travels, in the order of the table in \`schemas/endpoints.ts\`. */
interface Messages {
${messages.join("")}}

export type EndpointName = keyof Messages;

/** The methods of the client by their groups, with the endpoint that each of them calls. */
export interface ClientMethods {
${methods.join("")}}

/** All fields of an endpoint's request in the wire's names, wherever they travel: path, query or body. */
export type RequestOf<Name extends EndpointName> = Messages[Name]["request"];

export type ReplyOf<Name extends EndpointName> = Messages[Name]["reply"];

/**
 * When a failed request may be sent again. This API deletes by POST, so the verb says nothing:
 * - \`always\`: reads and writes that end in the same state however often they run;
 * - \`unreceived\`: each run does new work, so only when the request surely did none (429, refused connection, DNS).
 */
export type Retry = "always" | "unreceived";
`;
	return importsOf(messages.join(""), "endpoints") + body;
}

const groupAndMethod = (client: string): [group: string, method: string] => {
	const [group = "", method = ""] = client.split(".");
	return [group, method];
};

/** Its comment is what an editor shows of the method. */
function clientMethod([name, { client, summary, retry }]: [string, Endpoint]): string {
	const repeated =
		retry === "unreceived"
			? " Sent again only if the service surely did nothing; look at `error.received` after a failure."
			: "";
	const [, method] = groupAndMethod(client);
	return `\t\t/** ${summary}.${repeated} */\n\t\t${method}: "${name}";\n`;
}

function capitalized(name: string): string {
	return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

/** The file of an upload is no field: it is streamed. */
const requestShape = ({ path, query, body, bodyType }: Endpoint): z.core.$ZodShape => ({
	...Object.fromEntries(
		[...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => [name, z.string()]),
	),
	...query,
	...(bodyType === "multipart" ? {} : body),
});

/** Shapes that others are made of: those extend them. */
const BASES: Readonly<Record<string, z.core.$ZodShape>> = {
	ScheduleItem: scheduleItemSchema.shape,
	InTeam: inTeam,
};

function baseOf(name: string, shape: z.core.$ZodShape): string | undefined {
	const isPart = (base: z.core.$ZodShape) =>
		Object.entries(base).every(([field, schema]) => shape[field] === schema);
	return Object.keys(BASES).find((base) => base !== name && isPart(BASES[base] ?? {}));
}

/** `open` says that fields which are not listed pass. */
function interfaceOf(name: string, shape: z.core.$ZodShape, open: boolean): string {
	const base = baseOf(name, shape);
	const own = Object.entries(shape).filter(
		([field]) => !Object.hasOwn(BASES[base ?? ""] ?? {}, field),
	);
	if (base !== undefined && own.length === 0)
		return `\nexport type ${name} = ${base};\n`;
	const fields = own.map(([field, schema]) => {
		const about = aboutOf(schema);
		const mark = schema instanceof z.ZodOptional ? "?" : "";
		return `${about && `\t/** ${about}. */\n`}\t${field}${mark}: ${typeOf(schema)};\n`;
	});
	const head = base === undefined ? name : `${name} extends ${base}`;
	const index = open && base === undefined ? "\t[field: string]: unknown;\n" : "";
	return `\nexport interface ${head} {\n${index}${fields.join("")}}\n`;
}

/** camelCase, and undefined in place of null. An environment is left out: a lookup shows its names, and its values as a secret. */
function resultOf([name, [{ shape }, about]]: [
	string,
	readonly [z.ZodObject, string],
]): string {
	const fields = Object.entries(shape).flatMap(([field, schema]) => {
		const type = resultType(schema);
		if (type === undefined) return [];
		const mark = schema instanceof z.ZodOptional ? "?" : "";
		return `\t/** ${aboutOf(schema)}. */\n\t${camelCase(field)}${mark}: ${type};\n`;
	});
	return `\n/** ${about} */\nexport interface ${name} {\n${fields.join("")}}\n`;
}

function resultType(schema: z.core.$ZodType): string | undefined {
	const [named] = Object.entries(RESULTS).find(([, [one]]) => one === schema) ?? [];
	if (named !== undefined || schema === variablesReply) return named;
	if (
		schema instanceof z.ZodOptional ||
		schema instanceof z.ZodNullable ||
		schema instanceof z.ZodCatch
	)
		return resultType(schema.unwrap());
	// An id that the service gives as a number or as a text is a text in a result.
	if (schema instanceof z.ZodUnion && typeOf(schema) === "number | string")
		return "string";
	if (schema instanceof z.ZodArray) return `${resultType(schema.element)}[]`;
	return schema instanceof z.ZodPipe ? resultType(schema.out) : typeOf(schema);
}

/** What the schema says of itself, or what it wraps does. */
function aboutOf(schema: z.core.$ZodType): string {
	const text = z.globalRegistry.get(schema)?.description;
	// The names of ids say it already.
	if (text === "uuid") return "";
	if (text !== undefined) return text.charAt(0).toUpperCase() + text.slice(1);
	const isWrapped =
		schema instanceof z.ZodOptional ||
		schema instanceof z.ZodNullable ||
		schema instanceof z.ZodCatch;
	return isWrapped ? aboutOf(schema.unwrap()) : "";
}

function typeOf(schema: z.core.$ZodType): string {
	const named = NAMED.find((one) => one.schema === schema);
	if (named !== undefined) return named.name;
	if (schema instanceof z.ZodOptional) return `${typeOf(schema.unwrap())} | undefined`;
	if (schema instanceof z.ZodNullable) return `${typeOf(schema.unwrap())} | null`;
	if (schema instanceof z.ZodCatch) return typeOf(schema.unwrap());
	if (schema instanceof z.ZodUnion) return schema.options.map(typeOf).join(" | ");
	if (schema instanceof z.ZodEnum)
		return schema.options.map((word) => JSON.stringify(word)).join(" | ");
	if (schema instanceof z.ZodArray) return `${typeOf(schema.element)}[]`;
	if (schema instanceof z.ZodRecord)
		return `Record<string, ${typeOf(schema.valueType)}>`;
	if (schema instanceof z.ZodPipe) return typeOf(schema.out);
	if (schema instanceof z.ZodString) return "string";
	if (schema instanceof z.ZodNumber) return "number";
	if (schema instanceof z.ZodBoolean) return "boolean";
	if (schema instanceof z.ZodUnknown) return "unknown";
	if (schema instanceof z.ZodObject) {
		const fields = Object.entries(schema.shape).map(([name, field]) => {
			const mark = field instanceof z.ZodOptional ? "?" : "";
			return `${name}${mark}: ${typeOf(field as z.core.$ZodType)}`;
		});
		return `{ [field: string]: unknown; ${fields.join("; ")} }`;
	}
	throw new Error(
		`No plain type is known for a schema of type ${schema._zod.def.type}.`,
	);
}

function importsOf(text: string, own: string): string {
	const used = NAMED.filter(
		({ name, file }) => file !== own && new RegExp(`: ${name}\\b`).test(text),
	);
	const files = [...new Set(used.map(({ file }) => file))].sort();
	return files
		.map((file) => {
			const names = used.filter((one) => one.file === file).map(({ name }) => name);
			return `import type { ${names.sort().join(", ")} } from "./${file}";\n`;
		})
		.join("");
}

if (require.main === module) writeWireTypes();
