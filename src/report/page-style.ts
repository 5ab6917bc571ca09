/** The style that all pages share: no font, script or image is loaded from anywhere. */
export const PAGE_STYLE = `
:root { color-scheme: light dark; --ink: #1c2430; --soft: #5b6675; --page: #f5f6f8; --card: #fff; --line: #dfe3e8;
  --accent: #5b6675; --good: #1a7f37; }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e9ee; --soft: #9aa5b4; --page: #12161c; --card: #1b2129;
  --line: #303945; --accent: #9aa5b4; --good: #56d364; } }
* { box-sizing: border-box; }
body { margin: 0; padding: 1.25rem; background: var(--page); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { max-width: 70rem; margin: 0 auto; }
h1 { font-size: 1.5rem; margin: 0 0 .25rem; }
h2 { font-size: 1.1rem; margin: 0 0 .75rem; }
h3 { font-size: 1rem; margin: 1rem 0 .25rem; }
p { margin: .25rem 0; color: var(--soft); }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(8rem, 1fr)); gap: .75rem; margin: 1.25rem 0; padding: 0; list-style: none; }
.tiles li, section { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: 1rem; }
.tiles b { display: block; font-size: 1.75rem; line-height: 1.2; }
.tiles .none b { color: var(--good); }
section { margin: 1rem 0; border-top: 4px solid var(--accent); }
table { width: 100%; border-collapse: collapse; }
th, td { text-align: left; vertical-align: top; padding: .4rem .75rem .4rem 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
th { font-weight: 600; color: var(--soft); font-size: .85rem; }
code { font: .9em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
tr.group th { padding-top: 1rem; color: var(--ink); font-size: 1rem; }
td small { display: block; color: var(--soft); }
@media (max-width: 40rem) {
  body { padding: .75rem; }
  table.rows thead { position: absolute; left: -9999px; }
  table.rows tr { display: block; border-bottom: 1px solid var(--line); padding: .5rem 0; }
  table.rows tr[hidden] { display: none; }
  table.rows td { display: grid; grid-template-columns: 6.5rem 1fr; gap: .5rem; border: 0; padding: .15rem 0; }
  table.rows td::before { content: attr(data-head); color: var(--soft); font-size: .85rem; }
}
@media print { body { background: none; padding: 0; } section, .tiles li { break-inside: avoid-page; } }
`;
