import { describe } from "vitest";
import { describeLifecycle } from "../helpers/plugin-lifecycle";

describe("a program in YAML", () => describeLifecycle("yaml"));
