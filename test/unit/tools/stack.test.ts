import { afterEach, expect, test, vi } from "vitest";
import { engineAt } from "../../../tools/engine";
import { stackEnvironment } from "../../../tools/stack/environment";
import { testFolder } from "../../helpers/test-folder";

afterEach(() => vi.unstubAllEnvs());

test("the user's own Pulumi and Studio settings do not reach a throw-away stack", () => {
	vi.stubEnv("PULUMI_ACCESS_TOKEN", "user-token");
	vi.stubEnv("DATACHAIN_STUDIO_TOKEN", "user-studio-token");
	const folder = testFolder("stack-environment-");
	const { env } = stackEnvironment(folder, engineAt("/engine/pulumi", "3.0.0", "PATH"), {});
	expect(env.PULUMI_ACCESS_TOKEN).toBeUndefined();
	expect(env.DATACHAIN_STUDIO_TOKEN).toBeUndefined();
	expect(env.PULUMI_BACKEND_URL).toContain(folder);
});
