/**
 * The page's script: filters the table by text, status, an hour of the week and a day; moves in the heat map with the
 * arrow keys. Without it the page shows everything. Plain JavaScript for browsers, so that nothing is compiled.
 */
export const SCRIPT = `
(() => {
	const find = (selector) => [...document.querySelectorAll(selector)];
	const rows = find("#schedules tbody tr");
	const [words, status, clear, told] = ["words", "status", "clear", "told"].map((id) => document.getElementById(id));
	const bit = (hex, index) => (parseInt(hex[index >> 2] || "0", 16) >> (index & 3)) & 1;
	let cell = -1;
	let day = -1;
	const show = () => {
		const wanted = words.value.trim().toLowerCase();
		let count = 0;
		for (const row of rows) {
			const fits =
				(wanted === "" || row.textContent.toLowerCase().includes(wanted)) &&
				(status.value === "" || row.dataset.status === status.value) &&
				(cell < 0 || bit(row.dataset.cells, cell)) &&
				(day < 0 || bit(row.dataset.days, day));
			row.hidden = !fits;
			if (fits) count += 1;
		}
		told.textContent = count + " of " + rows.length + " schedules";
		for (const button of find("button[data-cell]")) button.setAttribute("aria-pressed", String(Number(button.dataset.cell) === cell));
		for (const button of find("button[data-day]")) button.setAttribute("aria-pressed", String(Number(button.dataset.day) === day));
	};
	const cells = find("button[data-cell]");
	for (const button of cells) {
		button.tabIndex = -1;
		button.addEventListener("click", () => {
			const index = Number(button.dataset.cell);
			cell = cell === index ? -1 : index;
			show();
		});
		button.addEventListener("keydown", (event) => {
			const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -24, ArrowDown: 24 }[event.key];
			const next = step === undefined ? undefined : cells[cells.indexOf(button) + step];
			if (next === undefined) return;
			event.preventDefault();
			button.tabIndex = -1;
			next.tabIndex = 0;
			next.focus();
		});
	}
	if (cells[0]) cells[0].tabIndex = 0;
	for (const button of find("button[data-day]")) {
		button.addEventListener("click", () => {
			const index = Number(button.dataset.day);
			day = day === index ? -1 : index;
			show();
		});
	}
	words.addEventListener("input", show);
	status.addEventListener("change", show);
	clear.addEventListener("click", () => {
		words.value = status.value = "";
		cell = day = -1;
		show();
		words.focus();
	});
	show();
})();
`;
