/** A value that the program takes from the stack's configuration, which may have it in base64. */
export class ConfigSecret {
	constructor(
		readonly configKey: string,
		readonly base64: boolean,
	) {}
}

/** An object literal. */
export type Fields = { readonly [name: string]: Expression };

/** What can stand as an argument in the exported program. There is no way to say "code". */
export type Expression =
	| string
	| number
	| boolean
	| ConfigSecret
	| readonly Expression[]
	| Fields;
