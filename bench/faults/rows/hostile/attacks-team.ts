import { type Attack, get, post, type Target } from "./attack";

const schedule = { schedule_name: "hostile", pipeline_name: "nightly-images", cron_expression: "@daily" };
const job = { query: "print(1)", query_type: "PYTHON" };

/** Each endpoint that names an object, with a token that has nothing to do with its team. */
export function teamAttacks(target: Target): Attack[] {
	const { otherToken, readToken } = target;
	const reads = [
		"/clusters/",
		"/jobs/",
		"/pipeline/schedules",
		"/pipeline/list",
		"/pipeline/schedule?schedule_id=1",
		"/pipeline/status?name=nightly-images",
	];
	const writes: [string, object][] = [
		["/pipeline/create-schedule", schedule],
		["/pipeline/update-schedule", { schedule_id: 1, schedule_name: "taken" }],
		["/pipeline/delete-schedule", { schedule_id: 1 }],
		["/pipeline/pause", { name: "nightly-images" }],
		["/pipeline/settings", { pipeline_name: "nightly-images", workers: 9 }],
		["/pipeline/trigger", { datasets: ["dev.images.raw"] }],
		["/jobs/", job],
	];
	const asked = (path: string): string => `${path}${path.includes("?") ? "&" : "?"}team_name=vision`;
	return [
		...reads.map((path) => ({
			name: `another team's token on GET ${path}`,
			pieces: get(target, asked(path), otherToken),
			status: 403,
		})),
		...writes.map(([path, body]) => ({
			name: `another team's token on ${path}`,
			pieces: post(target, path, { ...body, team_name: "vision" }, otherToken),
			status: 403,
		})),
		...writes.map(([path, body]) => ({
			name: `a reading token on ${path}`,
			pieces: post(target, path, body, readToken),
			status: 403,
		})),
		...writes.slice(1, 6).map(([path, body]) => ({
			name: `another team's token without a team on ${path}`,
			pieces: post(target, path, body, otherToken),
			status: 404,
		})),
		...["VISION", "vision ", "vision\u0000", "vision,audio", "*", "../vision", "__proto__"].map((team) => ({
			name: `team ${JSON.stringify(team)}`,
			pieces: get(target, `/clusters/?team_name=${encodeURIComponent(team)}`),
		})),
		{
			name: "another team's file",
			pieces: post(target, "/jobs/", { ...job, files: ["1"] }, otherToken),
			status: 404,
		},
	];
}
