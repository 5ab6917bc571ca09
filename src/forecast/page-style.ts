/** What the forecast page adds to the style of all pages. The shades keep the contrast of their numbers in both schemes. */
export const STYLE = `
:root { --s1: #dbeafe; --s2: #93c5fd; --s3: #2563eb; --s4: #1e3a8a; --t3: #fff; --t4: #fff; --alert: #b3261e; --warn: #9a6700; }
@media (prefers-color-scheme: dark) { :root { --s1: #172a4a; --s2: #1d4ed8; --s3: #60a5fa; --s4: #dbeafe; --t3: #0b1220; --t4: #0b1220;
  --alert: #ff8a80; --warn: #e3b341; } }
.overlaps, .workers { --accent: var(--alert); } .clocks, .never { --accent: var(--warn); }
.tiles .bad b { color: var(--alert); } .tiles .odd b { color: var(--warn); }
.scroll { overflow-x: auto; }
.heat { border-collapse: separate; border-spacing: 2px; table-layout: fixed; min-width: 44rem; }
.heat th, .heat td { padding: 0; border: 0; text-align: center; font-size: .75rem; }
.heat th[scope=row] { text-align: left; width: 2.5rem; }
.heat button { width: 100%; height: 1.75rem; border: 1px solid var(--line); border-radius: .2rem; padding: 0; font: inherit;
  color: var(--ink); background: var(--card); cursor: pointer; overflow: hidden; }
.heat .s0 { color: var(--soft); } .heat .s1 { background: var(--s1); } .heat .s2 { background: var(--s2); }
.heat .s3 { background: var(--s3); color: var(--t3); } .heat .s4 { background: var(--s4); color: var(--t4); }
button:focus-visible, input:focus-visible, select:focus-visible { outline: 3px solid var(--warn); outline-offset: 1px; }
button[aria-pressed=true] { outline: 3px solid var(--warn); }
.calendar { table-layout: fixed; min-width: 44rem; }
.calendar td { border: 1px solid var(--line); padding: .4rem; height: 4.5rem; font-size: .8rem; }
.calendar td:empty { background: var(--page); }
.calendar button { border: 0; background: none; color: var(--ink); font: inherit; font-weight: 600; padding: 0; cursor: pointer; }
.calendar ul { margin: .25rem 0 0; padding: 0; list-style: none; } .calendar li { white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.filter { display: flex; flex-wrap: wrap; gap: .75rem; align-items: end; margin: 0 0 .75rem; }
.filter label { display: grid; gap: .2rem; font-size: .85rem; color: var(--soft); }
.filter input, .filter select, .filter button { font: inherit; color: var(--ink); background: var(--page); border: 1px solid var(--line);
  border-radius: .3rem; padding: .35rem .6rem; }
.number { font-variant-numeric: tabular-nums; }
@media print { .filter { display: none; } .scroll { overflow: visible; } .heat, .calendar { min-width: 0; }
  .heat button { print-color-adjust: exact; -webkit-print-color-adjust: exact; } }
`;
