/**
 * After a replacement that failed half-way the engine creates again, under the old id in the state. Where the program
 * was put back meanwhile, that create looks to the provider just like a second resource for the same object.
 */
export const halfReplaced =
	"If only one resource declares it, a replacement failed half-way and was put back: remove that resource from the state " +
	'with "pulumi state delete <urn>" and run "pulumi up", which takes the object over.';
