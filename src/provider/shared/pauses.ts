/** Which resources of the program declare whether a pipeline is paused: a pipeline is paused or not, whoever says so. */
export class DeclaredPauses {
	private readonly byPipeline = new Map<string, Map<string, boolean>>();

	/** Notes what the resource declares; undefined takes it back. Answers who declares the opposite. */
	declare(urn: string, team: string, pipeline: string, paused: boolean | undefined): string | undefined {
		for (const declared of this.byPipeline.values()) declared.delete(urn);
		if (paused === undefined) return undefined;
		const key = JSON.stringify([team, pipeline]);
		const declared = this.byPipeline.get(key) ?? new Map<string, boolean>();
		this.byPipeline.set(key, declared);
		const opposite = [...declared].find(([, value]) => value !== paused)?.[0];
		declared.set(urn, paused);
		return opposite;
	}

	/** Whether a resource of the program says if the pipeline is paused: then nobody else decides it. */
	isDeclared(team: string, pipeline: string): boolean {
		return (this.byPipeline.get(JSON.stringify([team, pipeline]))?.size ?? 0) > 0;
	}
}
