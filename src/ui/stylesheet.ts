// The style sheet of all pages, with their colours in light and dark.

import { hash } from "node:crypto";
import { fontFaces } from "./fonts.ts";

const light = `
    --paper: #fbf4f1; --card: #ffffff; --ink: #2a1f22; --soft: #6b595e; --line: #e6d8d4; --edge: #94807f;
    --accent: #b0234d; --on-accent: #ffffff; --tint: #fbeaef; --wrong: #a11212; --wrong-tint: #fdecec; --right: #17603a; --right-tint: #e4f4ea;`;
const dark = `
    --paper: #161113; --card: #221a1d; --ink: #f5ebed; --soft: #bcaaaf; --line: #3d3135; --edge: #8a777c;
    --accent: #ff8dab; --on-accent: #35060f; --tint: #3a1f28; --wrong: #ffb1a8; --wrong-tint: #40201d; --right: #9be0b8; --right-tint: #16331f;`;

export const palette = `
:root {
  color-scheme: light dark;${light}
}
@media (prefers-color-scheme: dark) {
  :root {${dark}
  }
}`;

/** For pages whose reader can choose a theme: the attribute `data-theme` of the document goes before the system's theme. */
export const chosenThemes = `
:root[data-theme="light"] {
  color-scheme: light;${light}
}
:root[data-theme="dark"] {
  color-scheme: dark;${dark}
}`;

// Thai needs space above and below the line, so the line height is 1.65. Behind a proxy with a path prefix the fonts are not found, and the
// system's fonts are used.
export const stylesheet = `${fontFaces("/fonts/")}
${palette}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0; min-height: 100vh; min-height: 100dvh; display: flex; flex-direction: column; align-items: center;
  padding: clamp(1rem, 8vw - 1rem, 4rem) 1rem 2rem; background: var(--paper); color: var(--ink);
  font: 1rem/1.65 Prompt, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Noto Sans Thai", "Sarabun", "Thonburi", "Leelawadee UI", sans-serif;
}
main {
  width: 100%; max-width: 27rem; padding: clamp(1.25rem, 5vw, 2rem); background: var(--card);
  border: 1px solid var(--line); border-radius: 1.25rem;
}
.brand { display: flex; align-items: center; gap: .5rem; margin: 0 0 1rem; font-weight: 700; font-size: 1.125rem; }
.brand svg { width: 1.5rem; height: 1.5rem; fill: var(--accent); }
.top { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; justify-content: space-between; margin: 0 0 1rem; }
.top .brand { margin: 0; }
.language button { min-width: 2.75rem; }
h1 { margin: 0 0 1rem; font-size: 1.4rem; line-height: 1.45; overflow-wrap: anywhere; }
h2 { margin: 0; font-size: 1.0625rem; overflow-wrap: anywhere; }
p { margin: 0 0 1rem; }
bdi { overflow-wrap: anywhere; } /* what others wrote may have no blank */
.note { color: var(--soft); font-size: .9375rem; overflow-wrap: anywhere; }
.wrong { padding: .75rem 1rem; border-radius: .75rem; background: var(--wrong-tint); color: var(--wrong); }
.who {
  display: flex; gap: .5rem; align-items: center; justify-content: space-between;
  margin: 0 0 1.25rem; padding: .5rem .5rem .5rem 1rem; border-radius: .75rem; background: var(--tint);
}
.who p { margin: 0; line-height: 1.4; overflow-wrap: anywhere; }
.who form { flex: none; }
.who button { line-height: 1.3; text-align: end; }
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
input, textarea, select {
  display: block; width: 100%; min-height: 3rem; margin: 0 0 1.125rem; padding: .625rem .875rem; font: inherit;
  color: inherit; background: var(--card); border: 1px solid var(--edge); border-radius: .75rem;
}
.colour { display: flex; gap: .5rem; }
.colour input[type=color] { flex: 0 0 3.5rem; padding: .25rem; cursor: pointer; }
.colour.unset input[type=color] { border-style: dashed; opacity: .5; }
input[aria-invalid=true], textarea[aria-invalid=true] { border-color: var(--wrong); }
button {
  min-height: 3rem; padding: .5rem 1.25rem; font: inherit; font-weight: 600; border-radius: .75rem; cursor: pointer;
  border: 1px solid var(--edge); background: transparent; color: inherit;
}
button.main { width: 100%; border-color: var(--accent); background: var(--accent); color: var(--on-accent); }
button.other { width: 100%; margin-top: .75rem; }
button.quiet { min-height: 2.75rem; padding: .25rem .5rem; border-color: transparent; color: var(--accent); font-weight: 500; text-decoration: underline; }
button:disabled, [data-settling] button:not(#hide) { opacity: .55; cursor: default; }
button:not(:disabled):hover { filter: brightness(1.06); border-color: currentColor; }
button.quiet:hover { border-color: transparent; }
a { color: var(--accent); }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.details { margin: 1.25rem 0 0; padding-top: 1rem; border-top: 1px solid var(--line); }
.details p:last-child { margin: 0; }

/* Pages of a streamer: a head across the page, below it cards. */
header, main.broad { width: 100%; max-width: 62rem; }
header { display: flex; flex-wrap: wrap; gap: .25rem 1rem; align-items: center; justify-content: space-between; }
header .brand, header .who { margin: 0; }
header .who { background: transparent; padding: 0; }
header .language { margin-inline-start: auto; }
header small { display: inline; }
nav { flex: 0 0 100%; font-size: clamp(.875rem, 3.5vw, 1rem); border-bottom: 1px solid var(--line); }
nav ul { display: flex; flex-wrap: wrap; gap: 0; margin: 0; }
nav a {
  display: block; min-height: 2.75rem; padding: .375rem clamp(.3rem, 1.9vw, .875rem); line-height: 1.4; white-space: nowrap; text-decoration: none;
  color: var(--ink); border-bottom: 3px solid transparent;
}
nav details { margin: 0; padding: 0; }
nav details ul { border-top: 1px solid var(--line); }
nav summary { padding: .375rem clamp(.3rem, 1.9vw, .875rem); line-height: 1.4; color: var(--ink); border-bottom: 3px solid transparent; }
nav summary.holds { border-color: var(--accent); font-weight: 600; }
nav li:has(> details[open]) { flex: 0 0 100%; }
nav a:hover, nav summary:hover { background: var(--tint); }
nav a[aria-current] { border-color: var(--accent); font-weight: 600; }
nav a:focus-visible { outline-offset: -3px; }
.skip { position: absolute; left: -99rem; }
.skip:focus { left: 1rem; top: .5rem; padding: .5rem 1rem; background: var(--card); border-radius: .75rem; z-index: 1; }
main.broad { padding: 1.25rem 0 0; background: transparent; border: 0; }
.card { margin: 0 0 1rem; padding: clamp(1rem, 4vw, 1.5rem); background: var(--card); border: 1px solid var(--line); border-radius: 1.25rem; }
.card > :last-child { margin-bottom: 0; }
.card > h2 { margin-bottom: .75rem; font-size: 1.1875rem; }
h3 { margin: 1.25rem 0 .5rem; font-size: 1rem; overflow-wrap: anywhere; }
@media (min-width: 50rem) {
  .columns { display: grid; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); gap: 1rem; align-items: start; }
  main.broad button.main { width: auto; min-width: 16rem; }
  main.broad .columns button.main, main.broad .buttons button.main { min-width: 0; }
  main.broad .field :is(input, select), main.broad textarea { max-width: 38rem; }
  main.broad .field input[inputmode], main.broad .field input[type=date] { max-width: 16rem; }
}
.right { padding: .75rem 1rem; border-radius: .75rem; background: var(--right-tint); color: var(--right); }
.wrong, .right { margin-bottom: 1rem; }
.wrong p { margin: 0; }
.wrong ul { margin: .25rem 0 0; }
.wrong a { color: inherit; }
.buttons { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; margin: 0 0 1rem; }
.buttons button { width: auto; }
@media (max-width: 49.99rem) {
  .stays { position: fixed; inset: auto 0 0; z-index: 1; margin: 0; padding: .5rem 1rem; background: var(--paper); border-top: 1px solid var(--line); }
  html:has(.stays) { scroll-padding-bottom: 8rem; }
  body:has(.stays) { padding-bottom: 9rem; }
  /* The last of a stack: it stays in sight, and at the end it stands below the others instead of over them. */
  .stack:not([hidden]) { display: flex; flex-direction: column; }
  .stack > .stays { order: 1; position: sticky; margin: 1rem calc(-1 * clamp(1.25rem, 5vw, 2rem)) 0; padding-inline: clamp(1.25rem, 5vw, 2rem); background: var(--card); }
  body:has(.stack) { padding-bottom: 2rem; }
}
/* The buttons that save a long form stay in sight while it is scrolled. */
.save { position: sticky; bottom: 0; z-index: 1; margin: 0; padding: .625rem 0; background: var(--paper); border-top: 1px solid var(--line); }
html:has(.save) { scroll-padding-bottom: 5.5rem; }
.card nav { margin-bottom: .75rem; }
.buttons > * { flex: 0 1 auto; }
a.button {
  display: inline-flex; align-items: center; min-height: 2.75rem; padding: .25rem 1.25rem; border: 1px solid var(--edge); border-radius: .75rem;
  color: inherit; font-weight: 600; text-decoration: none;
}
a.button:hover { border-color: currentColor; }
button.small { min-height: 2.75rem; padding: .25rem .875rem; font-size: .9375rem; }
details { margin: 1rem 0 0; }
summary { width: fit-content; min-height: 2.75rem; padding: .5rem 0; color: var(--accent); cursor: pointer; }
details[open] { padding-bottom: .25rem; }
.voices { margin: 0 0 1rem; }
audio { display: block; width: 100%; max-width: 38rem; }
.voices ul { columns: 9rem; margin: 0; padding-inline-start: 1.25rem; font-size: .9375rem; }
.entries { margin: 0; padding: 0; list-style: none; }
.entries > li { display: flex; flex-wrap: wrap; gap: .5rem .75rem; align-items: center; justify-content: space-between; padding: .75rem 0; border-top: 1px solid var(--line); }
.entries > li:first-child { border-top: 0; padding-top: .25rem; }
.entries button { flex: none; }
.entries details { margin: 0; }
.entry { min-width: 0; flex: 1 1 14rem; }
/* Few actions stand beside their entry on a phone as well, one above the other. */
.entries .narrow .entry { flex-basis: 9rem; }
.entries .narrow > .note { flex: 0 0 100%; margin: 0; }
.beside { flex: none; display: flex; flex-wrap: wrap; gap: .25rem .75rem; align-items: center; justify-content: flex-end; }
.beside a { display: inline-flex; align-items: center; min-height: 2.75rem; }
.figure { flex: none; text-align: end; font-variant-numeric: tabular-nums; }
@media (max-width: 49.99rem) { .beside { flex-direction: column; gap: 0; align-items: flex-end; } }
.entry p { margin: 0; overflow-wrap: anywhere; }
.entry .wrong { margin: .5rem 0 0; }
.entry .wrong form { margin-top: .5rem; }
.state { display: flex; gap: .625rem; align-items: baseline; font-weight: 600; }
.state::before { content: ""; flex: none; width: .75rem; height: .75rem; border-radius: 50%; background: var(--right); }
.state.paused::before { background: var(--edge); }
.state.away::before { background: transparent; border: .1875rem solid var(--wrong); }
.amount { color: var(--accent); font-weight: 700; white-space: nowrap; margin-left: .375rem; }
.said { line-height: 1.5; }
.marks { display: flex; flex-wrap: wrap; gap: .25rem .5rem; align-items: center; color: var(--soft); font-size: .8125rem; padding-top: .125rem; }
.label { padding: 0 .5rem; border-radius: 1rem; background: var(--tint); color: var(--ink); line-height: 1.8; }
.label.playing, .label.leased { background: var(--accent); color: var(--on-accent); }
.label.held { background: var(--ink); color: var(--card); }
.label.shown, .label.succeeded { background: var(--right-tint); color: var(--right); }
.label.failed { background: var(--wrong-tint); color: var(--wrong); }
.playing.now { margin: 0 0 1rem; padding: .875rem 1rem; border: 2px solid var(--accent); border-radius: 1rem; background: var(--tint); }
.playing.now .label:not(.playing, .leased) { background: var(--card); }
.field small { margin: 0 0 .375rem; }
.field > button { margin: -.5rem 0 1.125rem; }
textarea { resize: vertical; line-height: 1.65; }
.fault { margin: -.625rem 0 1.125rem; color: var(--wrong); font-size: .9375rem; }
.fault p { margin: 0; overflow-wrap: anywhere; }
fieldset .fault { margin-top: 0; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(14rem, 100%), 1fr)); gap: 0 1rem; align-items: end; }
fieldset { margin: 0 0 1.125rem; padding: 0; border: 0; min-width: 0; }
legend { padding: 0; font-weight: 600; margin: 0 0 .25rem; }
.check { display: grid; grid-template-columns: auto 1fr; gap: 0 .75rem; align-items: center; padding: .375rem 0; }
.check input { grid-row: 1; width: 1.375rem; height: 1.375rem; min-height: 0; margin: .625rem 0; padding: 0; accent-color: var(--accent); }
.check label { margin: 0; min-height: 2.75rem; padding: .625rem 0; font-weight: 500; line-height: 1.5; cursor: pointer; }
.check small { grid-column: 2; margin-top: -.375rem; }
.once { display: grid; grid-template-columns: 1fr auto; gap: 0 .5rem; align-items: start; }
.once label { grid-column: 1 / -1; }
.once input { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: .875rem; text-overflow: ellipsis; }
.once input:not(:hover, :focus) { color: transparent; text-shadow: 0 0 .5em var(--ink); }
.once button { white-space: nowrap; }
code { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: .875em; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); gap: .5rem 1rem; margin: 0 0 .75rem; font-size: .9375rem; }
dt { color: var(--soft); font-size: .875rem; line-height: 1.4; }
dd { margin: 0; overflow-wrap: anywhere; }
.cards h3 { margin: 0; font-size: 1.0625rem; }
.cards > li:first-child { border-top: 0; padding-top: .25rem; }
.cards > li:last-child { border-bottom: 0; padding-bottom: 0; }
.steps { margin: 0; padding-left: 1.5rem; }
.steps li { padding: .25rem 0; }
.figures { grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); }
.sum { display: block; font-size: 1.375rem; line-height: 1.4; color: var(--accent); }
.growth.up { color: var(--right); }
.growth.down { color: var(--wrong); }
.chart { position: relative; padding-top: 2.25rem; }
.scale { display: flex; flex-direction: column; justify-content: space-between; float: left; height: 11rem; margin: 0 .5rem 0 0; color: var(--soft); font-size: .8125rem; line-height: 1; text-align: end; }
.scale span:first-child { margin-top: -.5em; }
.scale span:last-child { margin-bottom: -.5em; }
.bars { display: flex; align-items: stretch; gap: 2px; height: 11rem; margin: 0; padding: 0; list-style: none; border-bottom: 1px solid var(--edge); background: linear-gradient(var(--line) 1px, transparent 1px) 0 0/100% 50%; }
.bars li { flex: 1 1 0; min-width: 0; }
.bars a, .bars svg { display: block; width: 100%; height: 100%; fill: var(--accent); }
.bars a:is(:hover, :focus-visible, .shown) { background: var(--tint); outline-offset: 0; }
.tip { position: absolute; top: 0; left: 0; right: 0; opacity: 0; pointer-events: none; color: var(--ink); line-height: 1.4; }
.tip small { display: inline; }
.bars a:is(:hover, :focus-visible, .shown) .tip { opacity: 1; background: var(--card); }
.axis { display: flex; justify-content: space-between; margin: .25rem 0 0; color: var(--soft); font-size: .8125rem; }
.story { margin: 0 0 .5rem; padding: 0; list-style: none; }
.story li { display: flex; flex-wrap: wrap; gap: 0 1rem; align-items: baseline; padding: .375rem 0; border-top: 1px solid var(--line); }
.story li:first-child { border-top: 0; }
.story span { flex: 1 1 8rem; min-width: 0; }
.story time { flex: 0 0 auto; font-size: .875rem; color: var(--soft); font-variant-numeric: tabular-nums; }
table { border-collapse: collapse; width: 100%; font-size: .9375rem; }
caption { text-align: start; color: var(--soft); }
th, td { padding: .375rem .75rem .375rem 0; text-align: start; font-weight: 400; border-top: 1px solid var(--line); }
thead th { border-top: 0; font-weight: 600; }
.rows { margin: 0 0 1rem; overflow-x: auto; border: 1px solid var(--line); border-radius: .75rem; }
.rows table { width: max-content; min-width: 100%; }
.rows :is(th, td) { max-width: 16rem; padding: .5rem .75rem; vertical-align: top; overflow-wrap: anywhere; }
.rows thead :is(th, td) { border-top: 0; vertical-align: bottom; }
.rows td:has(> :is(.fault, .note)) { max-width: 26rem; }
.rows .file { background: var(--paper); color: var(--soft); }
.rows th.file { min-width: 10rem; color: var(--ink); }
.rows select { min-height: 2.75rem; margin: 0; padding: .25rem .5rem; }
.rows :is(.fault, .note) { margin: 0; }
.preview { padding: .5rem; overflow: auto; border: 1px solid var(--edge); border-radius: .75rem; background: repeating-conic-gradient(#6d7078 0 25%, #5d6068 0 50%) 0 0/1.5rem 1.5rem; }
.preview iframe { display: block; max-width: 100%; border: 0; }
:is(.preview iframe, .stage) { color-scheme: light; } /* that of overlay and widgets: a frame of another one is not transparent */
.share { flex: 0 0 100%; height: .375rem; border-radius: .25rem; fill: var(--accent); }
.share .whole { fill: var(--tint); }
.stage {
  display: block; width: 100%; aspect-ratio: 16/9; margin: 0 0 1rem; border: 1px solid var(--edge); border-radius: .75rem;
  background: repeating-conic-gradient(#8a8f98 0 25%, #a3a8b0 0 50%) 0 0/2rem 2rem;
}
.gallery { display: grid; grid-template-columns: repeat(auto-fill, minmax(9.5rem, 1fr)); gap: 1rem; margin: 0; }
.gallery .stage { margin-bottom: .25rem; }
.gallery p { margin: 0; }
.gallery a { display: inline-block; min-height: 2.75rem; padding: .5rem 0; }
.thumbnail { width: 4rem; height: 3rem; object-fit: contain; }
@media (min-width: 50rem) { .stuck { position: sticky; top: 1rem; } }
/* On a phone the preview stands above its form and stays there, small, while somebody fills the form in. */
@media (max-width: 49.99rem) {
  .designer { display: flex; flex-direction: column; }
  .stuck { display: grid; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); gap: .5rem .75rem; align-items: center; order: -1; margin-inline: -1rem; padding: .75rem 1rem; border-radius: 0; }
  .stuck > h2 { position: absolute; left: -99rem; }
  .stuck > .stage { grid-row: 1 / 3; margin: 0; }
  .stuck > :is(.field, .buttons) { margin: 0; }
  .stuck :is(select, button) { min-height: 2.75rem; padding: .25rem .5rem; font-size: .9375rem; }
  .stuck label { position: absolute; left: -99rem; }
  @media (scripting: enabled) { .stuck .unscripted { display: none; } }
  @media (min-height: 30rem) {
    .stuck { position: sticky; top: 0; z-index: 1; }
    html:has(.stuck) { scroll-padding-top: 10rem; }
  }
}
/* The dock for OBS: narrow, and dark whatever the theme of the system is. Its buttons stay in sight. */
:root:has(.dock) { color-scheme: dark; scroll-padding-top: 10rem; }
.dock { padding: 0; color-scheme: dark;${dark} }
.dock main { max-width: none; padding: 0 .75rem 1rem; border: 0; border-radius: 0; background: var(--paper); font-size: .9375rem; line-height: 1.5; }
.dock h1 { position: absolute; left: -99rem; }
.dock h2 { margin: 1rem 0 .25rem; font-size: 1rem; }
.dock button { min-height: 2.75rem; padding: .25rem .75rem; font-size: .9375rem; }
.dock .hands { position: sticky; top: 0; z-index: 1; margin: 0 -.75rem .5rem; padding: .5rem .75rem; background: var(--paper); border-bottom: 1px solid var(--line); }
.dock .hands :is(p, .buttons) { margin: 0 0 .375rem; }
.dock .beside { flex: 1 1 auto; flex-direction: row; gap: .25rem .5rem; }
`;

/** The source that style-src allows. */
export const stylesheetSource = `'sha256-${hash("sha256", stylesheet, "base64")}'`;
