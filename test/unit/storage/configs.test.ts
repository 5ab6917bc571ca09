import * as pulumi from "@pulumi/pulumi";
import { describe, expect, test } from "vitest";
import * as storage from "../../../src/storage";
import { checked } from "../../../src/storage/lazy-rules";
import {
	SECRET_PARAMETERS,
	STORAGE_KINDS,
	STORAGES,
	type StorageKind,
} from "../../../src/storage/rules";
import { DOCUMENT } from "../../helpers/storage-document";

const MAKERS: Readonly<Record<StorageKind, (args: object) => storage.StorageArgs>> =
	storage;

const promised = <T>(output: pulumi.Output<T>): Promise<T> =>
	new Promise((resolve) => {
		output.apply((value) => resolve(value as T));
	});

describe("a config", () => {
	test.each(DOCUMENT.filter(({ good }) => good !== undefined))(
		"of $kind has $name as a secret exactly where it can hold a credential",
		async ({ kind, name, good }) => {
			const value = MAKERS[kind]({ [name]: good }).parameters[name];
			const secret = pulumi.Output.isInstance(value) && (await pulumi.isSecret(value));
			expect(secret).toBe(SECRET_PARAMETERS[kind].includes(name));
			expect(await promised(pulumi.output(value))).toEqual(good);
		},
	);

	test("leaves out what is undefined and keeps the null that disables caching", () => {
		expect(
			storage.az({ accountName: "a", timeout: undefined, defaultCacheType: null }),
		).toEqual({
			kind: "az",
			parameters: { accountName: "a", defaultCacheType: null },
		});
		expect(storage.file()).toEqual({ kind: "file", parameters: {} });
	});
});

describe("a URI", () => {
	test.each([
		["s3://bucket/path", "s3"],
		["s3://arn:aws:s3:eu-west-1:123456789012:accesspoint/images/path", "s3"],
		["file:///data/images", "file"],
		["s3://my.bucket-1/a\u0085b", "s3"],
	])("%s names storage.%s", (uri, kind) => {
		expect(storage.forUri(uri).kind).toBe(kind);
	});

	const FORMS = STORAGE_KINDS.map((kind) => STORAGES[kind].uri.form).join(", ");
	test("is documented in a form for each storage", () => {
		expect(FORMS).toContain("s3://<bucket>/<path>, gs://<bucket>/<path>, ");
	});
	const NO_SCHEME = `A storage URI has the form ${FORMS}. This one has no scheme.`;
	const scheme = (name: string, hint: string) =>
		`The scheme "${name}" of a storage URI is not supported. ${hint}`;
	const form = (kind: string, rest: string) =>
		`A ${kind} URI has the form ${kind}://${rest}, without user name, password or control characters. Credentials are given as parameters of storage.${kind}.`;

	test.each([
		[" s3://bucket", NO_SCHEME],
		["s3://", form("s3", "<bucket>/<path>")],
		["s3://key:hidden@bucket/path", form("s3", "<bucket>/<path>")],
		["s3://arn:aws:key@hidden", form("s3", "<bucket>/<path>")],
		["gs://bucket\n/x", form("gs", "<bucket>/<path>")],
		["gs://bucket/x\x7f", form("gs", "<bucket>/<path>")],
		["az://container@hidden.blob.example.com/x", form("az", "<container>/<path>")],
		["file://", form("file", "<path>")],
		["gcs://bucket", scheme("gcs", "Write gs:// instead.")],
		["ABFSS://container", scheme("ABFSS", "Write az:// instead.")],
		["S3://bucket", scheme("S3", "Write s3:// instead.")],
		["ftp://hidden/x", scheme("ftp", `Use one of ${FORMS}.`)],
	])("%j is refused, and not shown", (uri, says) => {
		expect(() => storage.forUri(uri)).toThrow(new TypeError(says));
	});

	test("picks the storage whose parameters are given", async () => {
		const config = storage.forUri("s3://bucket/path", {
			key: "k",
			secret: "s",
			useSsl: false,
		});
		expect(config).toMatchObject({ kind: "s3", parameters: { useSsl: false } });
		expect(
			await pulumi.isSecret(config.parameters.secret as pulumi.Output<string>),
		).toBe(true);
	});

	test("refuses parameters and configs of another storage", () => {
		const uri: string = "gs://bucket/path";
		expect(() => storage.forUri(uri, { accountKey: "hidden" })).toThrow(
			/accountKey.*storage\.az/,
		);
		expect(() => storage.forUri(uri, storage.s3({ anon: true }))).toThrow(
			/gs:\/\/.*storage\.s3/,
		);
		const config = storage.gs({ token: "anon" });
		expect(storage.forUri(uri, config)).toBe(config);
		expect(() =>
			// @ts-expect-error the scheme decides which parameters there are
			storage.forUri("gs://bucket/path", { accountKey: "hidden" }),
		).toThrow();
	});
});

describe("for use in code", () => {
	test("clientConfig gives the exact dictionary, as a secret", async () => {
		const config = storage.s3({
			endpointUrl: "http://a",
			key: pulumi.output("k"),
			secret: "s",
			kwargs: { profile: "p" },
		});
		const dictionary = storage.clientConfig(config);
		expect(await pulumi.isSecret(dictionary)).toBe(true);
		expect(await promised(dictionary)).toEqual({
			endpoint_url: "http://a",
			key: "k",
			secret: "s",
			profile: "p",
		});
	});

	test.each<[string, storage.StorageInput]>([
		["a config", storage.hf({ token: "t" })],
		[
			"a config that comes later",
			pulumi.output(storage.hf({ token: "t" })) as storage.StorageInput,
		],
	])("toJobFile holds %s as a secret, under a name that is none", async (_, config) => {
		const { name, text } = storage.toJobFile(config);
		expect(await promised(name)).toBe("hf-client-config.json");
		expect(await pulumi.isSecret(name)).toBe(false);
		expect(await pulumi.isSecret(text)).toBe(true);
		expect(JSON.parse(await promised(text))).toEqual({ token: "t" });
	});

	test("a config that breaks rules fails with all reasons and no value", () => {
		// Not through an Output: one that fails cannot be caught by those who hold it.
		const config = {
			kind: "s3",
			parameters: { key: "hidden", maxConcurrency: 0 },
		} as const;
		expect(() => checked(config)).toThrow(
			/storage\.s3.*maxConcurrency must be 1 or more\. key needs secret/,
		);
		expect(() => checked(config)).not.toThrow(/hidden/);
	});
});
