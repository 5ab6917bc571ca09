/** What the lists of a team cost without a command of ours: the least that any of them can take. */
const { DATACHAIN_STUDIO_URL, DATACHAIN_STUDIO_TOKEN, DATACHAIN_STUDIO_TEAM } =
	process.env;
const team = encodeURIComponent(DATACHAIN_STUDIO_TEAM);
const headers = { Authorization: `Bearer ${DATACHAIN_STUDIO_TOKEN}` };

for (const path of [
	`pipeline/schedules?team_name=${team}`,
	`pipeline/list?team_name=${team}&limit=10000`,
	`jobs/?team_name=${team}&limit=20000`,
]) {
	const response = await fetch(`${DATACHAIN_STUDIO_URL}/api/datachain/${path}`, {
		headers,
	});
	if (!response.ok) throw new Error(`${path}: ${response.status}`);
	await response.json();
}
