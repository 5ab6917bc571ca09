/**
 * Which remote objects belong to a resource of the running program. When a resource is renamed, or replaced with
 * the old one deleted last, Pulumi creates (which adopts the same object by name) and then deletes the old entry:
 * `delete` must leave an object alone that a live resource still owns.
 *
 * Only what the *program* declares counts. A refresh calls `diff` too, also for resources that the program no
 * longer has; those must stay deletable. A program's diff always follows a check of the same name, a refresh's
 * comes before any, so names seen by `check` tell the two apart.
 */
export class Ownership {
	private readonly declaredNames = new Set<string>();
	private readonly usedNames = new Set<string>();
	private readonly owned = new Set<string>();
	private readonly released = new Set<string>();

	declareName(team: string, name: string): void {
		this.declaredNames.add(`${team}\n${name}`);
	}

	isDeclared(team: string, name: string): boolean {
		return this.declaredNames.has(`${team}\n${name}`);
	}

	/** This process has given, or is about to give, something this name: a list from before does not show it. */
	useName(team: string, name: string): void {
		this.usedNames.add(`${team}\n${name}`);
	}

	isUsedName(team: string, name: string): boolean {
		return this.usedNames.has(`${team}\n${name}`);
	}

	claim(team: string, id: string): void {
		this.owned.add(`${team}\n${id}`);
	}

	/** The object's own replacement will delete it. */
	release(team: string, id: string): void {
		this.owned.delete(`${team}\n${id}`);
		this.released.add(`${team}\n${id}`);
	}

	isReleased(team: string, id: string): boolean {
		return this.released.has(`${team}\n${id}`);
	}

	isOwned(team: string, id: string): boolean {
		return this.owned.has(`${team}\n${id}`);
	}
}
