import { requiredCases } from "../helpers/provider-cases";

requiredCases("dynamic");
