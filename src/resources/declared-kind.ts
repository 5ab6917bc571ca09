import { dynamicType, KINDS, type Kind, pluginType } from "../schemas/kinds";
import { SECRET_OUTPUTS } from "../schemas/secret-fields";

/** What a declaration takes from the tables of all kinds. */
export const declaredKind = (kind: Kind) => ({
	kind,
	type: dynamicType(kind),
	pluginType: pluginType(kind),
	entry: KINDS[kind].entry,
	deleteFirst: KINDS[kind].deleteFirst,
	secretOutputs: SECRET_OUTPUTS[kind],
});
