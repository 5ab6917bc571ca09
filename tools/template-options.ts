/** The compiler options of Pulumi's own project template: what a user's program is checked with. */
export const templateOptions = {
	strict: true,
	outDir: "bin",
	target: "es2020",
	module: "commonjs",
	moduleResolution: "node",
	sourceMap: true,
	experimentalDecorators: true,
	pretty: true,
	noFallthroughCasesInSwitch: true,
	noImplicitReturns: true,
	forceConsistentCasingInFileNames: true,
};
