// The search of the site: sections of pages first, then the names of the reference. It replaces typedoc's, which finds
// whole pages only, and uses its dialog.
(() => {
	const MOST_SECTIONS = 10;
	const MOST_OF_ONE_PAGE = 3;
	const MOST_NAMES = 8;
	const EXCERPT = 170;

	/** Without the endings of English words: "permissions" finds "permission", "renaming" finds "rename", and "roles" finds "role". */
	const stem = (word) =>
		/^[a-z]+$/.test(word)
			? word.replace(/(?<=^.{4,})(?:ing|ies|ed|es|s|e)$/, "")
			: word;

	/** Letters and digits, and what belongs to a name: `C#`, `self-hosted`, `--stack`, `DATACHAIN_STUDIO_URL`. */
	const wordsOf = (text) =>
		(
			text
				.toLowerCase()
				.match(/-{0,2}[\p{L}\p{N}_]+(?:[-.:/@'’][\p{L}\p{N}_]+)*[#+]*/gu) ?? []
		).map(stem);

	const isLetter = (char) => char !== undefined && /[\p{L}\p{N}_]/u.test(char);

	/** Where a word begins in a text with the given letters; -1 if nowhere. A short word has to be a whole one. */
	function indexOfWord(text, word) {
		for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
			const isWhole = word.length > 3 || !isLetter(text[at + word.length]);
			if ((!isLetter(text[at - 1]) || !isLetter(word[0])) && isWhole) return at;
		}
		return -1;
	}

	let prepared;
	/** The places with their texts in lower case; undefined while the index is loading. */
	function places() {
		prepared ??= window.siteSearch?.map((place) => ({
			...place,
			inTitle: place.title.toLowerCase(),
			inHeading: place.heading.toLowerCase(),
			inText: place.text.toLowerCase(),
		}));
		return prepared;
	}

	const WEIGHTS = { inHeading: 6, inTitle: 4, inText: 1 };

	/** The best places for a query, each with its score. */
	function search(query) {
		const words = [...new Set(wordsOf(query))];
		const all = places() ?? [];
		if (words.length === 0) return [];
		const found = words.map((word) => all.map((place) => fieldsWith(place, word)));
		// A word that few places have says more than one that many have. One that none has, such as a name in an error, says nothing.
		const worth = found.map((fields) => {
			const count = fields.filter((each) => each.length > 0).length;
			return count === 0 ? 0 : Math.log(1 + all.length / count);
		});
		const most = worth.reduce((sum, each) => sum + each, 0);
		const phrase = query.trim().toLowerCase();
		const asked = pairsOf(wordsOf(query));
		return all
			.map((place, index) => {
				if (isQuoted(place.heading, asked))
					return { place, score: 1000 * place.heading.length };
				let [covered, score] = [0, 0];
				for (const [which, each] of worth.entries()) {
					const fields = found[which][index];
					if (fields.length === 0) continue;
					covered += each;
					score += each * fields.reduce((sum, field) => sum + WEIGHTS[field], 0);
				}
				if (covered < most * 0.6) return { place, score: 0 };
				const isExact =
					place.inHeading === phrase ||
					(place.heading === "" && place.inTitle === phrase);
				const factor =
					(1 + 3 * pairsIn(place, words)) *
					(isExact ? 4 : 1) *
					(place.isAside ? 0.3 : 1);
				return { place, score: (score * factor * covered) / most };
			})
			.filter(({ score }) => score > 0)
			.sort((a, b) => b.score - a.score);
	}

	const fieldsWith = (place, word) =>
		Object.keys(WEIGHTS).filter((field) => indexOfWord(place[field], word) >= 0);

	const pairsOf = (words) => words.slice(1).map((word, at) => `${words[at]} ${word}`);

	/** The share of neighbouring words of the query that are neighbours in the place too. */
	function pairsIn(place, words) {
		if (words.length < 2) return 0;
		const neighbours = new Set(pairsOf(wordsOf(`${place.heading} ${place.text}`)));
		const pairs = pairsOf(words);
		return pairs.filter((pair) => neighbours.has(pair)).length / pairs.length;
	}

	/** Whether somebody pasted the message that a heading is. `…` stands for what differs. */
	function isQuoted(heading, asked) {
		const pairs = heading.split(/…|"…"/).flatMap((part) => pairsOf(wordsOf(part)));
		const matching = pairs.filter((pair) => asked.includes(pair));
		return matching.length > 1 && matching.length / pairs.length >= 0.7;
	}

	/** Not more of one page than a reader wants to see, and pages before names. */
	function choose(results) {
		const counts = new Map();
		const sections = results.filter(({ place }) => {
			if (place.isName) return false;
			const page = place.url.split("#")[0];
			counts.set(page, (counts.get(page) ?? 0) + 1);
			return counts.get(page) <= MOST_OF_ONE_PAGE;
		});
		const names = results.filter(({ place }) => place.isName);
		return [...sections.slice(0, MOST_SECTIONS), ...names.slice(0, MOST_NAMES)].map(
			({ place }) => place,
		);
	}

	/** The part of a text that has the most words of the query. */
	function excerptOf(place, words) {
		const starts = words
			.map((word) => indexOfWord(place.inText, word))
			.filter((at) => at >= 0);
		const countFrom = (from) =>
			starts.filter((at) => at >= from && at < from + EXCERPT - 30).length;
		const best = starts.sort((a, b) => countFrom(b) - countFrom(a))[0] ?? 0;
		const from = best < 40 ? 0 : place.text.indexOf(" ", best - 30) + 1;
		const text = place.text.slice(from, from + EXCERPT);
		const isCut = from + EXCERPT < place.text.length;
		return `${from > 0 ? "… " : ""}${isCut ? `${text.replace(/\s+\S*$/, "")} …` : text}`;
	}

	/** A text whose words of the query are marked. */
	function marked(text, words) {
		const box = document.createElement("span");
		const lower = text.toLowerCase();
		let done = 0;
		while (done < text.length) {
			const next = words
				.map((word) => ({ word, at: indexOfWord(lower.slice(done), word) }))
				.filter(({ at }) => at >= 0)
				.sort((a, b) => a.at - b.at)[0];
			if (next === undefined) break;
			const start = done + next.at;
			let end = start + next.word.length;
			while (isLetter(text[end])) end++;
			const mark = document.createElement("mark");
			mark.textContent = text.slice(start, end);
			box.append(text.slice(done, start), mark);
			done = end;
		}
		box.append(text.slice(done));
		return box;
	}

	function resultItem(place, number, words, base) {
		const item = document.createElement("li");
		item.id = `site-search-${number}`;
		item.setAttribute("role", "option");
		item.setAttribute("aria-selected", "false");
		const link = document.createElement("a");
		link.tabIndex = -1;
		link.href = base + place.url;
		const [where, head, excerpt] = ["where", "head", "excerpt"].map((name) => {
			const line = document.createElement("span");
			line.className = name;
			return line;
		});
		where.textContent = place.isName
			? `Reference${place.title ? ` › ${place.title}` : ""}`
			: place.title;
		head.append(marked(place.heading || place.title, words));
		excerpt.append(marked(excerptOf(place, words), words));
		link.append(
			...(place.heading === "" && !place.isName
				? [head, excerpt]
				: [where, head, excerpt]),
		);
		item.append(link);
		return item;
	}

	/** Without the listeners of typedoc's own search. */
	function renewed(id) {
		const old = document.getElementById(id);
		const copy = old.cloneNode(true);
		old.replaceWith(copy);
		return copy;
	}

	const dialog = document.getElementById("tsd-search");
	const [input, list, status] = [
		"tsd-search-input",
		"tsd-search-results",
		"tsd-search-status",
	].map(renewed);
	const base = document.documentElement.dataset.base.replace(/\/?$/, "/");

	function show() {
		const query = input.value.trim();
		const all = wordsOf(query);
		const long = all.filter((word) => word.length > 3);
		const words = long.length > 0 ? long : all;
		list.replaceChildren();
		input.setAttribute("aria-activedescendant", "");
		if (query === "") status.textContent = "";
		else if (places() === undefined)
			status.textContent = "The search index is loading.";
		else {
			list.append(
				...choose(search(query)).map((place, number) =>
					resultItem(place, number, words, base),
				),
			);
			status.textContent =
				list.childElementCount === 0 ? `Nothing found for “${query}”.` : "";
		}
		list.scrollTop = 0;
	}

	function move(step) {
		const items = [...list.children];
		if (items.length === 0) return;
		const at = items.findIndex((item) => item.getAttribute("aria-selected") === "true");
		const next =
			items[
				at < 0
					? step > 0
						? 0
						: items.length - 1
					: (at + step + items.length) % items.length
			];
		items[at]?.setAttribute("aria-selected", "false");
		next.setAttribute("aria-selected", "true");
		next.scrollIntoView({ block: "nearest" });
		input.setAttribute("aria-activedescendant", next.id);
	}

	input.addEventListener("input", show);
	input.addEventListener("keydown", (event) => {
		if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
		const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
		if (step !== undefined) {
			move(step);
			event.preventDefault();
		}
		if (event.key === "Enter")
			(
				list.querySelector("[aria-selected=true] a") ?? list.querySelector("a")
			)?.click();
	});
	// A result on the page that is shown only moves the page, so the dialog would stay in front of it.
	list.addEventListener("click", () =>
		dialog.dispatchEvent(new Event("cancel", { cancelable: true })),
	);
	document.getElementById("tsd-search-script")?.addEventListener("load", show);
	status.textContent = "";
})();
