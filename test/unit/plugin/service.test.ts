import { CheckRequest } from "@pulumi/pulumi/proto/provider_pb";
import { expect, test, vi } from "vitest";
import { engineLog } from "../../../src/plugin/engine";
import { struct } from "../../../src/plugin/properties";
import { providerService } from "../../../src/plugin/service";

test("a token of the config is not called plain text: the engine does not tell whether it is a secret there", async () => {
	const said = vi.spyOn(console, "error").mockReturnValue();
	const during = <T>(work: () => Promise<T>): Promise<T> => work();
	const service = providerService({ during }, engineLog(undefined), () => "1.2.3");
	const request = new CheckRequest();
	request.setUrn("urn:pulumi:dev::project::pulumi:providers:datachain::default_1_2_3");
	request.setNews(struct({ token: "hidden" }));
	await new Promise((done) => service.checkConfig({ request } as never, done));
	expect(said).not.toHaveBeenCalled();
	said.mockRestore();
});
