import { parseInstant } from "../schemas/instant";
import type { Schedule, ScheduleItem } from "../schemas/wire/schedule";
import { type Ask, RELEASE_MILLIS, type Refusal, type Row } from "./claims";
import type { Call } from "./context";
import { ADOPT_EQUAL, agoText, ifInterrupted, ifOurs, resourceName } from "./messages";
import { UnclearError } from "./outcome";
import { described, type Table } from "./table";
import { type ListedSchedule, nameOf } from "./team-lists";

/** `id 7, created by ada 3 hours ago`. */
export function identify(call: Call, item: ScheduleItem): string {
	const at = item.created_at ? parseInstant(item.created_at) : undefined;
	const age = at === undefined ? "at an unknown time" : agoText(call.time.now() - at);
	const id = item.id < 0 ? "id unknown" : `id ${item.id}`;
	return `${id}, created by ${item.created_by?.username ?? "an unknown user"} ${age}`;
}

/** The name of its pipeline, which a list leaves out. */
export const pipelineOf = ({ pipeline }: Schedule): string => pipeline?.name ?? "unknown";

/** As many as a message holds, for people. */
const listed = <T>(items: readonly T[], text: (item: T) => string): string =>
	items.slice(0, 10).map(text).join("; ");

/** Why a row of the list could not be read; undefined for one that was. */
export const unreadable = (live: Schedule & ListedSchedule): string | undefined => live.unreadable;

/** Why a schedule cannot be created, adopted or renamed: what, which, why, and what to do next. */
export const refused =
	(fields: Table<Schedule>) =>
	async (call: Call, ask: Ask, because: Refusal<Schedule>): Promise<string> => {
		const { name, team } = ask.slot;
		const { live } = because.of;
		const which = `Schedule "${name}" (id ${live.id}) in team "${team}"`;
		const ours = ifOurs("manages it and releases the name");
		const next = `${ours} ${ifInterrupted("it")}`;
		switch (because.why) {
			case "foreign": {
				const special = isSpecial(call, ask, live);
				if (special !== undefined) return special;
				if (ask.to === "rename")
					return (
						`Another schedule named "${name}" already exists in team "${team}" (${identify(call, live)}), so ` +
						`none was renamed to it. Choose another scheduleName, or rename or delete that one first. ${next}`
					);
				const different = described(fields, ask.inputs, live, call).map(({ text }) => text);
				const equal =
					different.length === 0
						? "It is equal in every declared field"
						: `It differs: ${different.join("; ")}`;
				// What runs another pipeline is never adopted as equal.
				const more = because.of.fits ? next : ours;
				return (
					`A schedule named "${name}" already exists in team "${team}" (${identify(call, live)}). ${equal}; it ` +
					`was not changed. Set ${toAdopt(ask, because.of)} to manage it, or choose another scheduleName. ${more}`
				);
			}
			case "several": {
				const list = listed(because.all, (each) => identify(call, each.live));
				return (
					`Team "${team}" has ${because.all.length} schedules named "${name}": ${list}. Nothing was changed. ` +
					'Names must be unique to be managed: delete or rename the others, then run "pulumi up" again.'
				);
			}
			case "unfit":
				return (
					isSpecial(call, ask, live) ??
					`${which} runs pipeline ` +
						`"${pipelineOf(live)}", not "${String(ask.inputs.pipelineName)}", and the service cannot move a schedule to ` +
						`another pipeline. Set pipelineName to "${pipelineOf(live)}" to adopt it, or choose another scheduleName.`
				);
			case "held":
				return (
					`${which} is already managed by ` +
					`resource ${resourceName(because.by)} of this program. Give one of the two another scheduleName, or remove it.`
				);
			case "stuck":
				return stuck(ask, which, because);
		}
	};

/** What makes the schedule one that can be adopted: it stays on its pipeline. Undefined if nothing does, or nobody can tell. */
function toAdopt(ask: Ask, { fits, live }: Row<Schedule>): string | undefined {
	if (fits) return "adopt to true";
	const there = live.pipeline?.name;
	const isElsewhere = live.schedule_name === ask.slot.name && there && there !== ask.inputs.pipelineName;
	return isElsewhere ? `pipelineName to "${there}" and adopt to true` : undefined;
}

/** A schedule that takes the name, and is not one that could be adopted: of another spelling, or unreadable. */
function isSpecial(call: Call, ask: Ask, live: Schedule): string | undefined {
	const { name, team } = ask.slot;
	const there = nameOf(live);
	const which = `A schedule named "${there}" already exists in team "${team}" (${identify(call, live)})`;
	const why = unreadable(live);
	if (why !== undefined)
		return (
			`${which}, and the service describes it in a form that cannot be read (${why}). It was not changed. Choose another ` +
			"scheduleName, or rename or delete that one in the web UI."
		);
	if (there === name) return undefined;
	return (
		`${which}. "${name}" differs from it only in case, Unicode form, spaces or invisible characters, and some services take the two for one name. It was ` +
		`not changed. Set scheduleName to "${there}"${ask.to === "rename" ? "" : " with adopt set to true to manage it"}, or choose another ` +
		"scheduleName."
	);
}

/** Something that should have left the slot first is still there. */
function stuck(ask: Ask, which: string, because: Extract<Refusal<Schedule>, { why: "stuck" }>): string {
	const { blocked, should, failed, of } = because;
	if (failed)
		return `${which} should have been ${should} first, and could not be. Fix that failure, then run "pulumi up" again.`;
	if (blocked !== undefined) {
		let last = blocked.because;
		while (last.why === "stuck" && last.blocked) last = last.blocked.because;
		const taken = `"${nameOf(last.of.live)}" (id ${last.of.id})`;
		return (
			`${which} must be ${should} first, and cannot be: the name that its resource needs is used by schedule ${taken}. ` +
			`Nothing was created. ${ifOurs("manages that one and releases the name")}`
		);
	}
	const by = resourceName("by" in of.claim ? of.claim.by : "");
	const exchange =
		"elsewhere" in of.claim && should === "renamed"
			? " If the two exchange their names, deploy one of them under a third name first: between the plugin and the dynamic provider that needs two deployments."
			: "";
	const [change, act] = should === "deleted" ? ["replaces", "delete"] : ["renames", "rename"];
	return (
		`${which} must be ${should} first: this deployment ${change} resource ${by}, which has it. The ${act} did not begin within ` +
		`${RELEASE_MILLIS / 1000} seconds, and two schedules of one name would both run, so none was ` +
		`${ask.to === "rename" ? "renamed" : "created"}. If the engine refuses to ${change.slice(0, -1)} ${by} (protect, or an earlier ` +
		`failure), fix that. Otherwise run "pulumi up" again, without --parallel 1, or let this resource depend on ${by} (dependsOn).${exchange}`
	);
}

/** For a preview: another resource may still release the name. */
export function mayBeRefused(call: Call, ask: Ask, because: Refusal<Schedule>): string {
	const { name, team } = ask.slot;
	const all = because.why === "several" ? because.all : [because.of];
	const list = listed(all, ({ live }) => {
		const there = nameOf(live);
		return `${there === name ? "" : `as "${there}", `}${identify(call, live)}`;
	});
	const set = ask.to === "make" && because.why === "foreign" ? toAdopt(ask, because.of) : undefined;
	const adopt = set === undefined ? "" : `set ${set} to manage it, or `;
	return (
		`${resourceName(call.urn)}: the name "${name}" is in use in team "${team}" (${list}). Unless a ` +
		`resource of this program releases it in this deployment, the deployment will fail: ${adopt}choose another scheduleName.`
	);
}

/** The service stores the name in a form of its own. */
export function respelled(
	{ secrets }: Call,
	{ scheduleName: declared, teamName: team }: { readonly scheduleName: string; readonly teamName: string },
	made: ScheduleItem,
): string {
	const which = `Schedule (id ${made.id}) in team "${team}"`;
	const live = nameOf(made);
	// The service's spelling of a secret is as secret.
	if (secrets.includes("scheduleName"))
		return (
			`${which} exists, and the service stores its name in another spelling. Set scheduleName to the spelling that the web UI ` +
			'shows, then run "pulumi up" again.'
		);
	// They look alike: only the form tells them apart. Their code points are not shown, because the name may be a secret.
	const isSameText = live.normalize() === declared.normalize();
	const note = isSameText
		? ` The service stores Unicode ${formOf(live)}; the program has ${formOf(declared)}.`
		: "";
	return (
		`${which} exists, and the service calls it "${live}". Set scheduleName to "${live}" instead of "${declared}", then run ` +
		`"pulumi up" again.${note}`
	);
}

const formOf = (text: string): string =>
	["NFC", "NFD"].find((form) => text === text.normalize(form)) ?? "text in a mixed form";

/** The response to a create was lost, and no list shows what it may have created. */
export function unclear(
	call: Call,
	name: string,
	team: string,
	why: string,
	namesakes: readonly ListedSchedule[],
	/** Several of them are equal to the declaration. */
	isAmbiguous: boolean,
): UnclearError {
	const others = listed(namesakes, (item) => identify(call, item));
	const could = `Could not tell whether schedule "${name}" was created in team "${team}": ${why}`;
	if (isAmbiguous) {
		return new UnclearError(
			`${could} The list shows several new schedules of that name (${others}), and the provider cannot tell which one this request ` +
				`created. Delete the ones that are not wanted in the web UI, then run "pulumi up" with ${ADOPT_EQUAL}=true to adopt the one that is left.`,
		);
	}
	const seen =
		others === ""
			? "It is not in the list so far"
			: `The list shows that name with other values (${others}), which this request did not create`;
	return new UnclearError(
		`${could} ${seen}, and it was not sent again, because ` +
			'that could create a second one. Run "pulumi up" again: it creates the schedule if it does not exist. If it exists, "pulumi up" ' +
			`fails; run it once with ${ADOPT_EQUAL}=true to adopt it.`,
	);
}
