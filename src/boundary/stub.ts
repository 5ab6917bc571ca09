/**
 * The text that stands as `__provider` in the state of every resource. It must stay tiny and constant, hold no
 * value of the user's, and find the provider by name: `refresh` and `destroy` run the text in the *old* state, so
 * whatever it says works for ever, and what it loads is always the installed version. See README.md here.
 */
export const providerStub = (entry: string): string =>
	`exports.handler=require("pulumi-datachain/provider").${entry}`;
