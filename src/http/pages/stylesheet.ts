// The one style sheet of our pages. It stands inside each page; the Content-Security-Policy names it by its hash.

import { hash } from "node:crypto";

// Thai needs room above and below the line: 1.65.
export const stylesheet = `
:root {
  color-scheme: light dark;
  --paper: #fbf4f1; --card: #ffffff; --ink: #2a1f22; --soft: #6b595e; --line: #e6d8d4; --edge: #94807f;
  --accent: #b0234d; --on-accent: #ffffff; --tint: #fbeaef; --wrong: #a11212; --wrong-tint: #fdecec;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #161113; --card: #221a1d; --ink: #f5ebed; --soft: #bcaaaf; --line: #3d3135; --edge: #8a777c;
    --accent: #ff8dab; --on-accent: #35060f; --tint: #3a1f28; --wrong: #ffb1a8; --wrong-tint: #40201d;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0; min-height: 100vh; min-height: 100dvh; display: flex; flex-direction: column; align-items: center;
  padding: clamp(1rem, 8vw - 1rem, 4rem) 1rem 2rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.65 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Noto Sans Thai", "Sarabun", "Thonburi", "Leelawadee UI", sans-serif;
}
main {
  width: 100%; max-width: 27rem; padding: clamp(1.25rem, 5vw, 2rem); background: var(--card);
  border: 1px solid var(--line); border-radius: 1.25rem;
}
main.wide { max-width: 38rem; }
.brand { display: flex; align-items: center; gap: .5rem; margin: 0 0 1rem; font-weight: 700; font-size: 1.125rem; }
.brand svg { width: 1.5rem; height: 1.5rem; fill: var(--accent); }
h1 { margin: 0 0 1rem; font-size: 1.4rem; line-height: 1.45; overflow-wrap: anywhere; }
h2 { margin: 0; font-size: 1.0625rem; overflow-wrap: anywhere; }
p { margin: 0 0 1rem; }
[lang=en] { display: block; color: var(--soft); font-size: .875em; line-height: 1.5; font-weight: 400; }
h1 [lang=en] { font-size: .9375rem; margin-top: .25rem; }
button [lang=en], label [lang=en], small [lang=en] { display: inline; color: inherit; }
.note { color: var(--soft); font-size: .9375rem; overflow-wrap: anywhere; }
.wrong { padding: .75rem 1rem; border-radius: .75rem; background: var(--wrong-tint); color: var(--wrong); }
.wrong [lang=en] { color: inherit; }
.who {
  display: flex; gap: .5rem; align-items: center; justify-content: space-between;
  margin: 0 0 1.25rem; padding: .5rem .5rem .5rem 1rem; border-radius: .75rem; background: var(--tint);
}
.who p { margin: 0; line-height: 1.4; overflow-wrap: anywhere; }
.who form { flex: none; }
.who button { line-height: 1.3; text-align: end; }
.who button [lang=en] { display: block; }
small { display: block; color: var(--soft); font-size: .875rem; }
ul { list-style: none; margin: 0 0 1.25rem; padding: 0; }
.scopes li { position: relative; padding: .25rem 0 .375rem 2rem; }
.lead { margin-bottom: .375rem; }
.scopes li::before {
  content: ""; position: absolute; left: .375rem; top: .65rem; width: .5rem; height: .875rem;
  border: solid var(--accent); border-width: 0 .1875rem .1875rem 0; transform: rotate(45deg);
}
.cards > li { padding: 1.25rem 0; border-top: 1px solid var(--line); }
.cards > li:last-child { border-bottom: 1px solid var(--line); }
.cards .scopes { margin: .5rem 0 1rem; font-size: .9375rem; }
label { display: block; margin: 0 0 .25rem; font-weight: 600; }
label [lang=en] { color: var(--soft); }
input {
  display: block; width: 100%; min-height: 3rem; margin: 0 0 1.125rem; padding: .625rem .875rem; font: inherit;
  color: inherit; background: var(--card); border: 1px solid var(--edge); border-radius: .75rem;
}
input[aria-invalid=true] { border-color: var(--wrong); }
button {
  min-height: 3rem; padding: .5rem 1.25rem; font: inherit; font-weight: 600; border-radius: .75rem; cursor: pointer;
  border: 1px solid var(--edge); background: transparent; color: inherit;
}
button.main { width: 100%; border-color: var(--accent); background: var(--accent); color: var(--on-accent); }
button.other { width: 100%; margin-top: .75rem; }
button.quiet { min-height: 2.75rem; padding: .25rem .5rem; border-color: transparent; color: var(--accent); font-weight: 500; text-decoration: underline; }
button:hover { filter: brightness(1.06); border-color: currentColor; }
button.quiet:hover { border-color: transparent; }
a { color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.details { margin: 1.25rem 0 0; padding-top: 1rem; border-top: 1px solid var(--line); }
.details p:last-child { margin: 0; }
`;

/** The source that style-src allows. */
export const stylesheetSource = `'sha256-${hash("sha256", stylesheet, "base64")}'`;
