import { HANDLERS } from "../../src/provider/handlers";
import type { AnyTable } from "../../src/provider/shared/table";
import { isKind, KINDS } from "../../src/schemas/kinds";
import { SECRET_PARAMETERS, STORAGE_KINDS, STORAGES } from "../../src/schemas/storage";
import type { Facts } from "./types";

interface Checks {
	safeParse(value: unknown, options?: { reportInput: false }): { error?: unknown };
}

/** `S3Args` belongs to the storage kind s3. */
const storageKind = (owner: string) => STORAGE_KINDS.find((kind) => owner.toLowerCase() === `${kind}args`);

export const tableOf = (owner: string): AnyTable | undefined =>
	isKind(owner) ? HANDLERS[owner]().fields : undefined;

function schemaOf(owner: string, property: string): Checks | undefined {
	const kind = storageKind(owner);
	return kind ? STORAGES[kind].shape[property] : tableOf(owner)?.[property]?.schema;
}

/** Read from the rows that check the values; what the service alone writes has whole numbers only. */
export const facts: Facts = {
	isInteger(owner, property) {
		const schema = schemaOf(owner, property);
		return schema === undefined || schema.safeParse(1.5, { reportInput: false }).error !== undefined;
	},
	isSecret(owner, property) {
		const kind = storageKind(owner);
		if (kind) return SECRET_PARAMETERS[kind].includes(property);
		if (isKind(owner)) return KINDS[owner].secretOutputs.some((name) => name === property);
		return (owner === "Provider" && property === "token") || /^environment(Variables)?$/.test(property);
	},
};
