import type { StorageKind } from "../../src/schemas/storage";

export type Parameters = Record<string, unknown>;

/** One rule: whose it is, all that it says about which parameter, parameters that break it and some that keep it. */
export type RuleCase = readonly [
	StorageKind,
	rule: string,
	parameter: string,
	says: string,
	broken: Parameters,
	kept: Parameters,
];

/** Stands in every case where a credential would: it must never be seen in a text. */
export const HIDDEN = "hidden-value";
export const pair = { key: HIDDEN, secret: HIDDEN };
export const account = { accountName: "images" };
export const principal = { clientId: "c", clientSecret: HIDDEN, tenantId: "t" };
export const connection = { connectionString: `AccountName=images;AccountKey=${HIDDEN}` };
