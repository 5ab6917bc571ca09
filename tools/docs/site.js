// Code blocks that follow each other in different languages become tabs. Without this script all of them are shown.
(() => {
	const NAMES = { ts: "TypeScript", python: "Python", yaml: "YAML", go: "Go" };
	const KEY = "pulumi-datachain-language";

	const languageOf = (block) =>
		Object.keys(NAMES).find(
			(language) => block?.querySelector?.(`code.${language}`) !== null,
		);

	function remembered() {
		try {
			return localStorage.getItem(KEY);
		} catch {
			return null; // A page opened from a file may have no storage.
		}
	}

	function choose(language) {
		try {
			localStorage.setItem(KEY, language);
		} catch {
			// The choice then holds for this page only.
		}
		for (const group of document.querySelectorAll(".language-tabs"))
			show(group, language);
	}

	function show(group, language) {
		const tabs = [...group.querySelectorAll("[role=tab]")];
		const chosen = tabs.find((tab) => tab.dataset.language === language) ?? tabs[0];
		for (const tab of tabs) {
			tab.setAttribute("aria-selected", String(tab === chosen));
			tab.tabIndex = tab === chosen ? 0 : -1;
			document.getElementById(tab.getAttribute("aria-controls")).hidden =
				tab !== chosen;
		}
	}

	function group(blocks, number) {
		const box = document.createElement("div");
		box.className = "language-tabs";
		const list = document.createElement("div");
		list.setAttribute("role", "tablist");
		list.setAttribute("aria-label", "Language");
		blocks[0].before(box);
		box.append(list, ...blocks);
		for (const block of blocks) {
			const language = languageOf(block);
			const tab = document.createElement("button");
			tab.type = "button";
			tab.textContent = NAMES[language];
			tab.dataset.language = language;
			tab.setAttribute("role", "tab");
			tab.setAttribute("aria-controls", `language-${number}-${language}`);
			tab.addEventListener("click", () => choose(language));
			block.id = `language-${number}-${language}`;
			block.setAttribute("role", "tabpanel");
			block.setAttribute("aria-label", NAMES[language]);
			list.append(tab);
		}
		list.addEventListener("keydown", ({ key }) => {
			const step = { ArrowLeft: -1, ArrowRight: 1 }[key];
			if (step === undefined) return;
			const tabs = [...list.children];
			const at = tabs.indexOf(document.activeElement);
			const next = tabs[(at + step + tabs.length) % tabs.length];
			choose(next.dataset.language);
			next.focus();
		});
		show(box, remembered());
	}

	let number = 0;
	for (const first of document.querySelectorAll(".tsd-typography > pre")) {
		if (first.closest(".language-tabs") !== null) continue;
		const blocks = [];
		for (
			let block = first;
			block?.tagName === "PRE";
			block = block.nextElementSibling
		) {
			const language = languageOf(block);
			if (
				language === undefined ||
				blocks.some((each) => languageOf(each) === language)
			)
				break;
			blocks.push(block);
		}
		if (blocks.length > 1) group(blocks, ++number);
	}
})();
