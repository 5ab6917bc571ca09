import { dynamicType, KINDS, type Kind, pluginType } from "../schemas/kinds";

/** What a declaration takes from the tables of all kinds. */
export const declaredKind = (kind: Kind) => ({
	kind,
	type: dynamicType(kind),
	pluginType: pluginType(kind),
	...KINDS[kind],
});
