// The page of the local server: what its team has, read again every second. No build step, no network, no innerHTML.
"use strict";

const EVERY_MILLIS = 1000;
const $ = (id) => document.getElementById(id);
/** The class of a status; all others are busy. */
const KINDS = {
	good: ["COMPLETE", "COMPLETED", "TASK", "uploaded"],
	bad: ["FAILED", "CANCELED", "failed"],
	dim: ["PAUSED", "PENDING", "SCHEDULED", "pending"],
};

let token = "";
let selected;
let shownLines = 0;

/** The address that `serve` prints has the token behind the #, which no browser sends anywhere. */
function takeToken() {
	const given = new URLSearchParams(location.hash.slice(1)).get("token");
	if (given) {
		sessionStorage.setItem("token", given);
		history.replaceState(undefined, "", location.pathname);
	}
	token = sessionStorage.getItem("token") ?? "";
}

async function get(path) {
	const reply = await fetch(path, { headers: { Authorization: `Bearer ${token}` }, cache: "no-store" });
	if (reply.status === 401 || reply.status === 403) throw new Error("sign in");
	if (!reply.ok) throw new Error(`the server answered ${reply.status}`);
	return reply.json();
}

function element(name, text, className) {
	const made = document.createElement(name);
	made.textContent = text ?? "";
	if (className) made.className = className;
	return made;
}

function status(text) {
	const kind = Object.keys(KINDS).find((name) => KINDS[name].includes(text)) ?? "busy";
	return element("span", text, `status ${kind}`);
}

const time = (instant) => (instant ? `${instant.slice(0, 16).replace("T", " ")} UTC` : "");

/** Rows are replaced only where they differ, so that a selection or the focus stays. */
function fill(id, rows, cellsOf) {
	const body = $(id).tBodies[0];
	const emptyText = `No ${id}.`;
	const shown = rows.length === 0 ? [undefined] : rows;
	shown.forEach((row, index) => {
		const key = JSON.stringify(row ?? emptyText);
		const before = body.rows[index];
		if (before?.dataset.key === key) return;
		const made = document.createElement("tr");
		made.dataset.key = key;
		const cells = row === undefined ? [element("span", emptyText, "dim")] : cellsOf(row);
		for (const cell of cells) {
			const place = document.createElement("td");
			place.append(cell ?? "");
			made.append(place);
		}
		if (before) before.replaceWith(made);
		else body.append(made);
	});
	while (body.rows.length > shown.length) body.lastElementChild.remove();
}

function jobButton(id, text) {
	const button = element("button", text);
	button.type = "button";
	button.dataset.job = id;
	return button;
}

function show(team) {
	$("team").textContent = `team ${team.name}`;
	fill("pipelines", team.pipelines, (one) => [
		one.name,
		status(one.status),
		`${one.completed} of ${one.total}`,
		one.from,
		time(one.createdAt),
	]);
	fill("schedules", team.schedules, (one) => {
		const when = element("span", one.cron ?? "once");
		when.title = one.means ?? "";
		return [one.name, one.pipeline, when, one.nextRuns.map(time).join(", ") || "never"];
	});
	fill("jobs", team.jobs, (one) => [
		jobButton(one.id, one.name),
		status(one.status),
		time(one.createdAt),
		one.createdBy,
		one.files.join(", "),
	]);
	fill("files", team.files, (one) => [String(one.id), one.name, String(one.size), status(one.state)]);
}

/** The log of the selected job, its new lines added at the end. */
async function showLog(team) {
	const job = team.jobs.find(({ id }) => id === selected);
	$("log-panel").hidden = selected === undefined;
	if (selected === undefined) return;
	const asked = selected;
	const { logs } = await get(`/api/datachain/jobs/${encodeURIComponent(asked)}/logs`);
	// Another job may have been chosen meanwhile; its log is asked for with the next update.
	if (selected !== asked) return;
	if (job) {
		$("log-title").textContent = `${job.name} — ${job.status}`;
		const facts = [job.id, job.cluster && `cluster ${job.cluster}`, `workers ${job.workers}`, job.error];
		$("log-facts").textContent = facts.filter(Boolean).join(" · ");
	}
	const log = $("log");
	const isAtEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 40;
	for (const { message } of logs.slice(shownLines)) log.append(message);
	shownLines = logs.length;
	if (isAtEnd) log.scrollTop = log.scrollHeight;
}

function select(id) {
	selected = id;
	shownLines = 0;
	$("log").textContent = "";
	void update();
}

let updating = false;

async function update() {
	if (updating || token === "") return;
	updating = true;
	try {
		const team = await get("/api/_page/team");
		$("sign-in").hidden = true;
		$("content").hidden = false;
		show(team);
		await showLog(team);
		$("state").textContent = `as of ${new Date().toLocaleTimeString()}`;
	} catch (error) {
		if (error.message === "sign in") signIn("The token is not known to this server.");
		else $("state").textContent = `Not up to date: ${error.message}`;
	} finally {
		updating = false;
	}
}

function signIn(text) {
	token = "";
	sessionStorage.removeItem("token");
	$("state").textContent = text;
	$("content").hidden = true;
	$("sign-in").hidden = false;
}

document.addEventListener("click", (event) => {
	const id = event.target.dataset?.job;
	if (id) select(id);
	if (event.target.id === "log-close") select(undefined);
});
$("sign-in").addEventListener("submit", (event) => {
	event.preventDefault();
	token = $("token").value.trim();
	sessionStorage.setItem("token", token);
	void update();
});

takeToken();
if (token === "") signIn("Give the token to see the team.");
void update();
setInterval(update, EVERY_MILLIS);
