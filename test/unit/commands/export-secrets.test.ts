import { describe, expect, it } from "vitest";
import {
	holdsCredential,
	isSecretVariable,
} from "../../../src/commands/export/secrets";

it.each([
	["API_KEY", "x"],
	["MY_TOKEN", "x"],
	["db_password", "x"],
	["PGPASS", "x"],
	["SENTRY_DSN", "x"],
	["DB_CONNECTION", "x"],
	["GOOGLE_APPLICATION_CREDENTIALS", "x"],
	["FSSPEC_S3", "{}"],
	["AWS_REGION", "eu-west-1"],
	["AZURE_TENANT", "x"],
	["DATABASE", "postgres://app:hunter2@db.internal/app"],
	["SETTINGS", "host=db password=hunter2"],
	["OPTIONS", '{"secret": "abc"}'],
	["ENDPOINT", "https://blob.example.com/x?sv=1&sig=abc"],
	["BLOB", "3f7a9c1e5b2d8046"],
	["THING", "ghp_abcdefghij0123456789"],
	["SEED", "kJ8s0aPq2LmZx91vTb"],
	["PEM", "-----BEGIN PRIVATE KEY-----"],
	["ID", "eyJhbGciOi.eyJzdWIiOi.c2ln"],
])("a variable is taken for a secret: %s=%s", (name, value) =>
	expect(isSecretVariable(name, value)).toBe(true),
);

it.each([
	["LOG_LEVEL", "info"],
	["BATCH", "128"],
	["BUCKET_PATH", "images/raw/2026"],
	["HOMEPAGE", "https://example.com/docs"],
	["GREETING", "hello, wide world"],
])("a variable stays in the code with --plain-values: %s=%s", (name, value) =>
	expect(isSecretVariable(name, value)).toBe(false),
);

describe("a repository or requirement", () => {
	it.each([
		"https://user:password@example.com/repo.git",
		"pkg @ git+https://ghp_abcdefghij0123456789@github.com/org/pkg",
		"https://example.com/simple?token=abc",
	])("carries a credential: %s", (text) => expect(holdsCredential(text)).toBe(true));

	it.each([
		"https://example.com/org/repo.git@main",
		"git@example.com:org/repo.git",
		"pillow==11.0.0 --hash=sha256:0f3c9a7be1d24658a0b1c2d3e4f5061728394a5b",
		"token==1.0",
		"pytest-secret==2",
	])("carries none: %s", (text) => expect(holdsCredential(text)).toBe(false));
});
