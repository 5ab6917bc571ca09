/** What the drift page adds to the style of all pages: a colour for each section. */
export const STYLE = `
:root { --changed: #9a6700; --missing: #b3261e; --twins: #8e2a8a; --failed: #8a3b00; --unmanaged: #0b6b8a;
  --unlisted: #5b6675; --unchecked: #5b6675; --clocks: #5b6675; }
@media (prefers-color-scheme: dark) { :root { --changed: #e3b341; --missing: #ff8a80; --twins: #e79be4; --failed: #ffb077;
  --unmanaged: #6cc7e4; --unlisted: #9aa5b4; --unchecked: #9aa5b4; --clocks: #9aa5b4; } }
.changed { --accent: var(--changed); } .missing { --accent: var(--missing); }
.twins { --accent: var(--twins); } .failed { --accent: var(--failed); }
.unmanaged { --accent: var(--unmanaged); } .unlisted { --accent: var(--unlisted); } .unchecked { --accent: var(--unchecked); }
.tiles .changed b { color: var(--changed); } .tiles .missing b { color: var(--missing); }
.tiles .twins b { color: var(--twins); } .tiles .failed b { color: var(--failed); }
.tiles .unmanaged b { color: var(--unmanaged); }
`;
