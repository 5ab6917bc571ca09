import { CheckRequest } from "@pulumi/pulumi/proto/provider_pb";
import { expect, test, vi } from "vitest";
import { EngineLog } from "../../../src/plugin/engine";
import { struct } from "../../../src/plugin/properties";
import { providerService } from "../../../src/plugin/service";
import { UNKNOWN } from "../../../src/provider/handler";
import { secret } from "../../helpers/plugin-process";

/** What is said when a provider of that name is checked. */
async function said(name: string, token: unknown): Promise<string[]> {
	const lines = vi.spyOn(console, "error").mockReturnValue();
	const during = <T>(work: () => Promise<T>): Promise<T> => work();
	const service = providerService({ during }, new EngineLog(undefined), () => "1.2.3");
	const request = new CheckRequest();
	request.setUrn(`urn:pulumi:dev::project::pulumi:providers:datachain::${name}`);
	request.setNews(struct({ token }));
	await new Promise((done) => service.checkConfig({ request } as never, done));
	const texts = lines.mock.calls.map(([line]) => String(line));
	lines.mockRestore();
	return texts;
}

const inClear = [expect.stringMatching(/^datachain:token is stored in plain text/)];

test.each([
	["the config has in clear", "default_1_2_3", "plain", inClear],
	["the config keeps as a secret", "default", secret("hidden"), []],
	["is not known yet", "default", UNKNOWN, []],
	["a program gives to a provider of its own", "default_eu", "plain", []],
])("a token that %s", async (_, name, token, expected) => {
	expect(await said(name, token)).toEqual(expected);
});
