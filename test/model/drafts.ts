import type { Content, Edit } from "./edits";
import { plainName } from "./spelling";
import type { Host, Program, Resource } from "./stack";

interface Draft {
	readonly name: string;
	readonly aliases: readonly string[];
	readonly content: Content;
	readonly options: Extract<Edit, { edit: "options" }>["options"] | undefined;
	readonly host: Host | undefined;
}

/** A program that a person edits step by step. */
export class Draftbook {
	private drafts: Draft[] = [];
	private readonly pauses = new Map<string, boolean>();
	private made = 0;

	constructor(
		/** Names that `adopt` may be used for: the other stack's are never taken. */
		private readonly adoptable: (schedule: string) => boolean,
		private readonly mayPause: (pipeline: string) => boolean,
	) {}

	/** Makes the edits, unless they exchange names between the hosts, which no single deployment can do. */
	edit(edits: readonly Edit[]): void {
		const before = [...this.drafts];
		for (const edit of edits) this.apply(edit);
		if (exchangesNames(before, this.drafts)) this.drafts = before;
	}

	private apply(edit: Edit): void {
		const { drafts } = this;
		switch (edit.edit) {
			case "add":
				drafts.splice(edit.at % (drafts.length + 1), 0, this.draft(edit.content));
				break;
			case "shift": {
				const slots = drafts.filter(
					({ content }) => content.kind === edit.content.kind,
				);
				const contents = [edit.content, ...slots.map(({ content }) => content)];
				this.drafts = [
					...this.filled(slots, contents),
					this.draft(contents.at(-1) ?? edit.content),
				];
				break;
			}
			case "unshift": {
				const slots = drafts.filter(({ content }) => content.kind === edit.kind);
				const [, ...contents] = slots.map(({ content }) => content);
				this.drafts = this.filled(slots, contents).filter(
					(draft) => draft.name !== slots.at(-1)?.name,
				);
				break;
			}
			case "pause":
				this.pauses.set(edit.pipeline, edit.paused);
				break;
			default:
				this.at(edit);
		}
	}

	clear(): void {
		this.drafts = [];
	}

	/** As the engine gets it: names and pipelines that are taken already are left out. */
	program(): Program {
		const taken = new Set<string>();
		const program: Resource[] = [];
		for (const draft of this.drafts) {
			const slot = slotOf(draft);
			const resource = this.resource(draft, program.at(-1)?.name);
			if (taken.has(slot) || resource === undefined) continue;
			taken.add(slot);
			program.push(resource);
		}
		return program;
	}

	private at(edit: Extract<Edit, { at: number }>): void {
		const at = edit.at % Math.max(1, this.drafts.length);
		const draft = this.drafts[at];
		if (draft === undefined) return;
		const put = (...next: Draft[]) => this.drafts.splice(at, 1, ...next);
		if (edit.edit === "remove") put();
		if (edit.edit === "options") put({ ...draft, options: edit.options });
		if (edit.edit === "change" && edit.content.kind === draft.content.kind)
			put({ ...draft, content: edit.content });
		if (edit.edit === "host") {
			const host = draft.host === undefined ? "plugin" : undefined;
			put({
				...draft,
				host,
				aliases: [],
				...(edit.renamed && { name: this.nextName() }),
			});
		}
		if (edit.edit === "rename")
			put({
				...draft,
				name: this.nextName(),
				aliases: edit.alias ? [...draft.aliases, draft.name] : [],
			});
		if (edit.edit === "swap") {
			const other = this.drafts[edit.with % this.drafts.length];
			if (other === undefined || other.content.kind !== draft.content.kind) return;
			this.drafts = this.filled([draft, other], [other.content, draft.content]);
		}
	}

	private filled(slots: readonly Draft[], contents: readonly Content[]): Draft[] {
		return this.drafts.map((draft) => {
			const content = contents[slots.indexOf(draft)];
			return slots.includes(draft) && content !== undefined
				? { ...draft, content }
				: draft;
		});
	}

	private draft(content: Content): Draft {
		return {
			name: this.nextName(),
			aliases: [],
			content,
			options: undefined,
			host: undefined,
		};
	}

	private nextName(): string {
		this.made += 1;
		return `r${this.made}`;
	}

	/** Settings that declare nothing are none. */
	private resource(
		{ content, options, ...draft }: Draft,
		before: string | undefined,
	): Resource | undefined {
		const { chained, withBefore, replaceOnChanges = [], ...rest } = options ?? {};
		const deletedWith = withBefore ? before : undefined;
		const { kind, ...declared } =
			"pipelineName" in content ? this.argsOf(content) : content;
		const args = Object.fromEntries(
			Object.entries(declared).filter(([, value]) => value !== undefined),
		);
		if (kind === "PipelineSettings" && !SETTINGS.some((key) => key in args))
			return undefined;
		const dependsOn = chained && before !== undefined ? [before] : [];
		return { kind, args, ...draft, ...rest, dependsOn, deletedWith, replaceOnChanges };
	}

	private argsOf({
		declaresPause,
		...args
	}: Extract<Content, { declaresPause: boolean }>) {
		const mayPause = declaresPause && this.mayPause(args.pipelineName);
		const mayAdopt =
			args.adopt && (!("scheduleName" in args) || this.adoptable(args.scheduleName));
		return {
			...args,
			adopt: mayAdopt || undefined,
			paused: mayPause ? this.pauses.get(args.pipelineName) : undefined,
		};
	}
}

const SETTINGS = [
	"pythonVersion",
	"priority",
	"requirements",
	"workers",
	"environment",
	"storage",
	"paused",
];

/** Whether each of some resources, which two hosts serve, gets the name that the next one had. */
function exchangesNames(before: readonly Draft[], after: readonly Draft[]): boolean {
	const nameOf = ({ content }: Draft) =>
		content.kind === "PipelineSchedule" && plainName(content.scheduleName);
	const schedules = after.filter(nameOf);
	const nextOf = (draft: Draft | undefined) => {
		const had = before.find(
			(each) => draft !== undefined && nameOf(each) === nameOf(draft),
		);
		return schedules.find(({ name }) => name === had?.name);
	};
	return schedules.some((first) => {
		const hosts = new Set([first.host]);
		let next = nextOf(first);
		for (
			let steps = 0;
			next !== undefined && next !== first && steps < schedules.length;
			steps += 1
		) {
			hosts.add(next.host);
			next = nextOf(next);
		}
		return next === first && hosts.size > 1;
	});
}

/** What only one resource of a program can have; of pipelines there may be any number. */
function slotOf({ name, content }: Draft): string {
	if (content.kind === "Pipeline" || content.kind === "Job")
		return `${content.kind} of ${name}`;
	return content.kind === "PipelineSchedule"
		? content.scheduleName
		: `settings of ${content.pipelineName}`;
}
