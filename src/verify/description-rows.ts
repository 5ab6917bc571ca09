import { endpoints } from "../schemas/endpoints";
import type { EndpointName } from "../schemas/wire/endpoints";
import type { Assumption } from "./assumption";
import { differenceText } from "./compare";
import { compareOperation, type Description, unknownOperations } from "./description";
import { differs, holds, type Outcome, untried } from "./outcome";

type Row = Assumption<"description">;

const published: Row = {
	group: "description",
	source: "observed",
	sentence:
		"The service publishes an OpenAPI description at openapi.json below the base URL, without a token.",
	otherwise: "The provider never reads it. Only this command does.",
	matters: false,
	probe: async ({ description }) => {
		if (description.document === undefined) return differs("404");
		return holds("published", unknownOperations(description));
	},
};

function operation(name: EndpointName): Row {
	const { method, path } = endpoints[name];
	return {
		group: "description",
		source: "documented",
		sentence: `${method} ${path} is described with the parameters and fields that the provider sends and reads.`,
		otherwise:
			"A request field that the service does not take has no effect, and the read after the write reports it. A missing response field counts as unknown.",
		matters: true,
		probe: async ({ description }) => outcomeOf(name, description),
	};
}

function outcomeOf(name: EndpointName, description: Description): Outcome {
	if (description.document === undefined)
		return untried("the service publishes no description");
	const comparison = compareOperation(name, description);
	if (!comparison.described) {
		const { instead } = comparison;
		return instead === undefined ? untried("not described") : differs(instead);
	}
	const { differences, news } = comparison;
	const named = news.map((each) => `${name}: ${each}`);
	if (differences.length === 0) return holds("as described", named);
	return {
		...differs(differenceText(differences)),
		matters: differences.some(({ matters }) => matters),
		news: named,
	};
}

type OperationRows = { readonly [Name in EndpointName as `describes-${Name}`]: Row };

const names = Object.keys(endpoints) as EndpointName[];
const operations = Object.fromEntries(
	names.map((name) => [`describes-${name}`, operation(name)]),
) as OperationRows;

/** What the service's own description says. No token is needed, and nothing is written. */
export const descriptionRows = { "description-published": published, ...operations };
