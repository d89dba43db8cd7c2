// The style sheet of all pages.

import { hash } from "node:crypto";
import { dataStyles } from "./data-styles.ts";
import { fontFaces, sampleFontFaces } from "./fonts.ts";
import { frameStyles } from "./frame-styles.ts";
import { tokens } from "./tokens.ts";

// Thai needs space above and below the line, so the line height is 1.6. Behind a proxy with a path prefix the fonts are not found, and the
// system's fonts are used.
export const stylesheet = `${fontFaces("/fonts/")}
${sampleFontFaces("/fonts/")}
${tokens}
* { box-sizing: border-box; }
html, .kit { accent-color: var(--accent); -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
  margin: 0; min-height: 100vh; min-height: 100dvh; display: flex; flex-direction: column; align-items: center;
  padding: clamp(1rem, 8vw - 1rem, 4rem) 1rem 2rem; background: var(--paper); color: var(--ink);
  font: var(--text)/1.6 Prompt, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Noto Sans Thai", "Sarabun", "Thonburi", "Leelawadee UI", sans-serif;
}
main, .card { background: var(--card); border: 1px solid var(--line); border-radius: var(--round); box-shadow: var(--shadow); }
main { width: 100%; max-width: 27rem; padding: clamp(1.25rem, 5vw, 2rem); }
.icon { flex: none; vertical-align: -.25em; width: 1.25em; height: 1.25em; fill: none; stroke: currentColor; stroke-width: 1.75; stroke-linecap: round; stroke-linejoin: round; }
.brand { display: flex; align-items: center; gap: var(--space-2); font-weight: 600; font-size: var(--large); }
.brand svg { width: 1.5rem; height: 1.5rem; fill: var(--accent); }
.top { display: flex; flex-wrap: wrap; gap: var(--space-2); align-items: center; justify-content: space-between; margin: 0 0 1rem; }
h1 { margin: 0 0 1rem; font-size: var(--title); line-height: 1.4; font-weight: 600; overflow-wrap: anywhere; }
h2, h3 { margin: 0; font-size: var(--large); line-height: 1.5; font-weight: 600; overflow-wrap: anywhere; }
h3:not(:where(.cards h3)) { margin: 1.25rem 0 .5rem; font-size: var(--text); }
p { margin: 0 0 1rem; }
bdi { overflow-wrap: anywhere; } /* what others wrote may have no blank */
.note { color: var(--soft); overflow-wrap: anywhere; }
.section > :first-child > :not(h2) { margin: .375rem 0 .75rem; font-size: var(--small); }
.wrong, .right { margin-bottom: 1rem; padding: .625rem 1rem; border-radius: var(--round-small); }
:is(.wrong, .label.failed) { background: var(--wrong-tint); color: var(--wrong); }
:is(.right, .label.shown, .label.succeeded, button.good, .ticks .done .mark) { border-color: transparent; background: var(--right-tint); color: var(--right); }
.wrong ul { margin: .25rem 0 0; }
.wrong a { color: inherit; }
.who { display: flex; gap: .5rem; align-items: center; justify-content: space-between; margin: 0 0 1.25rem; padding: .5rem .5rem .5rem 1rem; border-radius: var(--round); background: var(--tint); }
.who button { line-height: 1.3; text-align: end; }
small, .story time { display: block; color: var(--soft); font-size: var(--small); }
ul { list-style: none; margin: 0 0 1.25rem; padding: 0; }
.cards > li { padding: 1.25rem 0; border-top: 1px solid var(--line); }
label { display: block; margin: 0 0 .25rem; font-weight: 600; }
input, textarea, select {
  display: block; width: 100%; min-height: var(--touch); margin: 0 0 1.125rem; padding: .375rem .75rem; font: inherit;
  color: inherit; background: var(--card); border: 1px solid var(--edge); border-radius: var(--round-small);
}
:is(.colour, .slid) { display: flex; gap: .5rem; }
.slid > [type=range] { flex: 1; min-width: 0; padding: 0; border: 0; }
main .slid > :last-child { flex: 0 0 5rem; }
[type=color] { flex: 0 0 3rem; padding: .25rem; cursor: pointer; }
.unset :is([type=color], [type=range]) { border-style: dashed; opacity: .5; }
input[aria-invalid=true], textarea[aria-invalid=true] { border-color: var(--wrong); }
/* Ranks of buttons: main, one of a form; without a class, second; quiet, beside text; danger, which can't be taken back. */
button, a.button {
  display: inline-flex; gap: var(--space-2); align-items: center; justify-content: center; min-height: var(--touch); padding: .25rem 1rem; font: inherit; font-weight: 600;
  line-height: 1.4; color: inherit; text-decoration: none; background: var(--card); border: 1px solid var(--edge); border-radius: var(--round-small); cursor: pointer;
}
button[hidden] { display: none; }
:is(button, a.button).main { border-color: var(--accent); background: var(--accent); color: var(--on-accent); }
button.main { width: 100%; }
:is(.fault, .growth.down, button.danger, a.danger) { color: var(--wrong); }
:is(button, a.button).danger.main { border-color: var(--wrong); background: var(--wrong); color: var(--card); }
button.other { width: 100%; margin-top: .75rem; }
button.quiet { padding: .25rem .5rem; border-color: transparent; background: none; color: var(--accent); font-weight: 400; text-decoration: underline; }
button:disabled, [data-settling] button:not(#hide) { opacity: .55; cursor: default; }
:is(button, a.button):not(:disabled, .quiet):hover { border-color: currentColor; filter: brightness(1.06); }
a { color: var(--accent); text-underline-offset: .2em; }
:is(.entry strong, .list .name) a, .chips .label, .guide .anchor { color: inherit; text-decoration: none; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
.details { margin: 1.25rem 0 0; padding-top: 1rem; border-top: 1px solid var(--line); }
${frameStyles}
.unseen, .skip:not(:focus), .dock h1, .search label, .rates + .rates label { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip:focus { position: absolute; left: 1rem; top: .5rem; padding: .5rem 1rem; background: var(--card); border-radius: var(--round-small); z-index: 4; }
@media (scripting: enabled) { .broad > .right[role=status] { position: fixed; z-index: 4; right: 1.5rem; bottom: 1.5rem; max-width: min(26rem, 100vw - 3rem); margin: 0; box-shadow: var(--raised); } }
.empty { display: grid; justify-items: center; gap: var(--space-1); padding: var(--space-6) 1rem; color: var(--soft); text-align: center; }
.empty .icon { width: 1.75rem; height: 1.75rem; }
.empty p { margin: 0; max-width: 32rem; }
.empty strong { color: var(--ink); }
.kit { padding: 1rem; background: var(--paper); color: var(--ink); }

.card { margin: 0 0 1rem; padding: clamp(1rem, 3vw, 1.5rem); }
:is(.card, .card > [data-live]:last-child, .card form:last-child, .details, .section > div + div) > :last-child { margin-bottom: 0; }
.card > h2, .section > div > h2:last-child { margin-bottom: .75rem; }
.broad nav { margin-bottom: .75rem; }
.broad nav ul { display: inline-flex; flex-wrap: wrap; gap: 2px; padding: 2px; background: color-mix(in srgb, var(--ink) 6%, transparent); border-radius: var(--round-small); }
.broad nav a { display: flex; align-items: center; min-height: var(--touch); padding: 0 .75rem; color: inherit; white-space: nowrap; text-decoration: none; border-radius: .375rem; }
.broad nav a[aria-current] { background: var(--card); font-weight: 600; box-shadow: 0 1px 2px #0003; }
@media (min-width: 50rem) {
  .columns { display: grid; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); gap: 1rem; align-items: start; }
  .columns.previewed { grid-template-columns: minmax(0, 2fr) minmax(0, 3fr); }
  .previewed > div { position: sticky; top: 1rem; }
  main.broad button.main { width: auto; min-width: 8rem; }
  main.broad .columns button.main, main.broad .buttons button.main { min-width: 0; }
  main.broad .field :is(input, select), main.broad textarea { max-width: 38rem; }
  main.broad .field input[inputmode], main.broad .field input[type=date] { max-width: 16rem; }
}
.buttons { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; margin: 0 0 1rem; }
.buttons button { width: auto; }
/* The buttons that save a long form stay in sight while it is scrolled. */
.save { position: sticky; bottom: 0; z-index: 1; margin: 0; padding: .625rem 0; background: var(--paper); border-top: 1px solid var(--line); }
html:has(.stays, .save) { scroll-padding-bottom: 8rem; }
:is(button, a.button).small { padding: .25rem .625rem; }
details { margin: 1rem 0 0; }
summary { width: fit-content; min-height: var(--touch); padding: .375rem 0; color: var(--accent); cursor: pointer; }
.voices { margin: 0 0 1rem; }
audio, progress { display: block; width: 100%; max-width: 38rem; }
.voices ul { columns: 9rem; margin: 0; padding-inline-start: 1.25rem; }
:is(.entries, .story, .bars) { margin: 0; padding: 0; list-style: none; }
.entries { container-type: inline-size; }
.entries > li { display: flex; flex-wrap: wrap; gap: .5rem .75rem; align-items: center; justify-content: space-between; padding: .75rem 0; border-top: 1px solid var(--line); }
:is(.entries, .cards) > li:first-child { border-top: 0; padding-top: .25rem; }
.entry strong a:hover { text-decoration: underline; }
.entry { min-width: 0; flex: 1 1 14rem; }
/* Few actions stand beside their entry on a phone as well, one above the other. */
.entries .narrow .entry { flex-basis: 9rem; }
.entries .narrow > .note { flex: 0 0 100%; margin: 0; }
:is(.beside, .figure, .entries button, .who form) { flex: none; }
.beside { display: flex; flex-wrap: wrap; gap: .25rem .5rem; align-items: center; justify-content: flex-end; }
.entries .stage { flex: none; width: 9rem; margin: 0; }
@container (max-width: 34rem) {
  .entries .buttons { flex: 1 0 100%; }
  .entries .buttons > .small { flex: 1 1 0; flex-direction: column; gap: 0; padding: .25rem; font-size: var(--small); line-height: 1.3; }
  .entries .stage { width: 6.5rem; }
  :is(.beside, .buttons form) .small > span { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
}
.rates { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); gap: 0 .75rem; align-items: end; }
.time-left { margin: 0; font-size: 3rem; font-weight: 700; line-height: 1.2; }
/* What brings no margin of its own into these. */
:is(.entry, .fault, .who, .wrong, .gallery) p, :is(.entries, .filters, .titled, .places) details, .account, .section > div > :is(details, .ticks):first-child, .rows :is(.fault, .note), .titled :is(h1, nav, p, .buttons), :is(.places, .menu, .broad nav) ul, :is(.entries, .once) .buttons, .tools :is(.field, .buttons, select, button) { margin: 0; }
.entry .wrong { margin: .5rem 0 0; }
.entry .wrong form { margin-top: .5rem; }
.state::before, .story li::before { content: ""; flex: none; width: .5rem; height: .5rem; border-radius: 50%; background: var(--edge); }
:is(.state:not(.away, .paused), .story .good)::before { background: var(--right); }
:is(.state.away, .story .bad)::before { background: var(--wrong); }
.state { display: flex; gap: .625rem; align-items: center; font-weight: 600; }
.amount { font-weight: 600; white-space: nowrap; margin-left: .375rem; }
.marks { display: flex; flex-wrap: wrap; gap: .25rem .5rem; align-items: center; color: var(--soft); font-size: var(--small); padding-top: .125rem; }
.label .icon { width: 1em; height: 1em; margin-inline-end: .25rem; vertical-align: -.125em; }
.label { padding: 0 .5rem; border-radius: 1rem; background: var(--tint); color: var(--ink); line-height: 1.8; }
:is(.label.playing, .label.leased, .avatar) { background: var(--accent); color: var(--on-accent); }
.label.held { background: var(--ink); color: var(--card); }
.playing.now { margin: 0 0 1rem; padding: .75rem 1rem; border-radius: var(--round-small); background: var(--tint); }
.playing.now > .entry > p:first-child { font-size: var(--large); }
.progress { display: grid; gap: .25rem; margin: .625rem 0 0; font-size: var(--small); }
.progress[style]::before { content: ""; height: .375rem; border-radius: .25rem; background: linear-gradient(var(--accent) 0 0) 0 / calc(100% * var(--passed)) no-repeat color-mix(in srgb, var(--ink) 12%, transparent); }
.asks { margin: 0 0 1rem; padding: .75rem; background: var(--card); border: 1px solid var(--accent); border-radius: var(--round-small); }
.asks h2 { margin: 0 0 .5rem; font-size: var(--text); color: var(--accent); }
.playing.now .label:not(.playing, .leased) { background: var(--card); }
.field small { margin: 0 0 .375rem; }
.field > button { margin: -.5rem 0 1.125rem; }
textarea { resize: vertical; }
.fault { margin: -.625rem 0 1.125rem; }
fieldset .fault { margin-top: 0; }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(14rem, 100%), 1fr)); gap: 0 1rem; align-items: end; }
.pair > :is(.across, .check, :has(textarea)) { grid-column: 1 / -1; }
fieldset { margin: 0 0 1.125rem; padding: 0; border: 0; min-width: 0; }
legend { padding: 0; font-weight: 600; margin: 0 0 .25rem; }
.check { display: grid; grid-template-columns: auto 1fr; gap: 0 .75rem; align-items: center; padding: .375rem 0; }
.check input { grid-row: 1; width: 1.375rem; height: 1.375rem; min-height: 0; margin: .625rem 0; padding: 0; }
.check label { margin: 0; min-height: var(--touch); padding: .625rem 0; font-weight: 500; line-height: 1.5; cursor: pointer; }
.check small { grid-column: 2; margin-top: -.375rem; }
.once { display: grid; grid-template-columns: 1fr auto; gap: 0 .5rem; align-items: start; }
.once label { grid-column: 1 / -1; }
.once input { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: var(--small); text-overflow: ellipsis; }
.once input:not(:hover, :focus) { color: transparent; text-shadow: 0 0 .5em var(--ink); }
.once button { white-space: nowrap; }
code { font-family: ui-monospace, Menlo, Consolas, monospace; font-size: .875em; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: repeat(auto-fit, minmax(11rem, 1fr)); gap: .5rem 1rem; margin: 0 0 .75rem; }
dt { color: var(--soft); font-size: var(--small); line-height: 1.4; }
dd { margin: 0; overflow-wrap: anywhere; }
.facts { display: block; }
.facts > div { display: grid; gap: 0 1rem; align-items: baseline; padding: .375rem 0; border-top: 1px solid var(--line); }
@media (min-width: 30rem) { .facts > div { grid-template-columns: 9rem minmax(0, 1fr); } }
.cards > li:last-child { padding-bottom: 0; }
.guide :is(h2, table) { margin-block: 1rem .5rem; }
.guide td { vertical-align: top; }
.guide td:first-child { min-width: 6rem; font-weight: 600; }
.steps { margin: 0; padding-left: 1.5rem; }
.steps li { padding: .25rem 0; }
@media (max-width: 40rem) { .broad nav a { padding: 0 .5625rem; font-size: var(--small); } }
details:has(> [data-live]:empty) { display: none; }
${dataStyles}
.rows { margin: 0 0 1rem; overflow-x: auto; border: 1px solid var(--line); border-radius: var(--round-small); }
.rows table { width: max-content; min-width: 100%; }
.rows :is(th, td) { max-width: 16rem; padding: .5rem .75rem; vertical-align: top; overflow-wrap: anywhere; }
.rows thead :is(th, td) { vertical-align: bottom; }
.rows td:has(> :is(.fault, .note)) { max-width: 26rem; }
.rows .file { background: var(--paper); color: var(--soft); }
.rows th.file { min-width: 10rem; color: var(--ink); }
.rows select { min-height: var(--touch); margin: 0; padding: .25rem .5rem; }
.preview { display: grid; place-items: safe center; min-height: 13rem; padding: .5rem; overflow: auto; border: 1px solid var(--edge); border-radius: var(--round-small); background: repeating-conic-gradient(#6d7078 0 25%, #5d6068 0 50%) 0 0/1.5rem 1.5rem; }
.preview iframe { display: block; max-width: 100%; border: 0; }
:is(.preview, .stage) iframe { color-scheme: light; } /* that of overlay and widgets: a frame of another one is not transparent */
.share { display: block; flex: 0 0 100%; width: 100%; height: .375rem; border-radius: .25rem; fill: var(--accent); }
.share .whole { fill: var(--tint); }
.stage { position: relative; container-type: inline-size; aspect-ratio: 16/9; margin: 0 0 1rem; overflow: hidden; border-radius: var(--round-small); background: #40305f; }
.stage > * { position: absolute; inset: 0; width: 100%; height: 100%; border: 0; }
.whole > iframe { width: 1920px; height: 1080px; transform: scale(tan(atan2(100cqw, 1920px))); transform-origin: 0 0; }
.panel > summary { width: 100%; margin: -.5rem 0 0; color: inherit; }
.panel h2 { display: inline; }
.checks { display: grid; grid-template-columns: repeat(auto-fill, minmax(9.5rem, 1fr)); gap: 0 .75rem; }
.checks:has(small) { grid-template-columns: repeat(auto-fill, minmax(min(15rem, 100%), 1fr)); }
.checks > .check { padding: 0; }
.gallery > li { position: relative; min-width: 0; }
:is(.gallery > li > p > a:only-child, .list .name a)::after { content: ""; position: absolute; inset: 0; }
.gallery { display: grid; grid-template-columns: repeat(auto-fill, minmax(9.5rem, 1fr)); gap: 1rem; margin: 0; }
.gallery .stage { margin-bottom: .25rem; }
:is(.gallery, .widgets) a { display: inline-block; min-height: var(--touch); padding: .5rem 0; }
.widgets { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(18rem, 100%), 1fr)); gap: 1rem; }
.widgets .preview { height: 13rem; overflow: hidden; }
.widgets iframe { zoom: .66; max-width: none; }
.samples { display: grid; grid-template-columns: repeat(auto-fill, minmax(8.5rem, 1fr)); gap: .5rem; margin-bottom: 1.125rem; }
.samples > div { display: flex; align-items: center; justify-content: space-between; border: 1px solid var(--line); border-radius: var(--round); overflow: hidden; }
.samples > div:has(:checked) { border-color: var(--accent); background: var(--tint); box-shadow: 0 0 0 1px var(--accent); }
.samples label { flex: 1; display: grid; grid-template-columns: auto 1fr; gap: .25rem .5rem; align-items: center; min-width: 0; min-height: var(--touch); margin: 0; padding: .375rem .625rem; font-weight: 500; line-height: 1.4; overflow-wrap: anywhere; cursor: pointer; }
.samples :is(img, video) { grid-column: 1 / -1; width: 100%; height: 3.5rem; object-fit: contain; }
.samples:has(img) { grid-template-columns: repeat(auto-fill, minmax(6.5rem, 1fr)); font-size: var(--small); }
.samples:has(img) label { column-gap: .25rem; padding-inline: .375rem; }
.samples input { width: 1.125rem; height: 1.125rem; min-height: 0; margin: 0; padding: 0; }
.samples:has(audio) { grid-template-columns: repeat(auto-fill, minmax(10rem, 1fr)); }
.samples > div:has(audio[controls]) { display: block; }
.play { flex: none; width: var(--touch); padding: 0; border-color: transparent; color: var(--accent); background: none; }
.play::before { content: ""; width: .75rem; height: .875rem; background: currentColor; clip-path: polygon(0 0, 100% 50%, 0 100%); }
.play[aria-pressed=true]::before { clip-path: none; height: .75rem; }
input[type=file] { padding: 1.25rem 1rem; border-style: dashed; cursor: pointer; }
::file-selector-button { margin-inline-end: .75rem; padding: .25rem .75rem; font: inherit; font-weight: 600; color: inherit; background: var(--card); border: 1px solid var(--edge); border-radius: var(--round-small); }
.thumbnail { display: grid; place-items: center; height: 6rem; margin: 0 0 .25rem; padding: .5rem; border-radius: var(--round-small); background: var(--paper); }
.thumbnail > * { max-width: 100%; max-height: 5rem; }
.rest .share { fill: var(--edge); }
.amounts { display: flex; justify-content: space-between; font-size: var(--small); }
.stuck { order: -1; }
.tools > .field { flex: 1; }
@media (scripting: enabled) { .unscripted { display: none; } }
.designer .pair { grid-template-columns: repeat(2, minmax(0, 1fr)); }
@media (min-width: 50rem) { .stuck { position: sticky; top: 1rem; } .previewed .preview { min-height: 24rem; } }
@media (min-width: 64rem) { .section { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 2fr); gap: 0 2.5rem; } .previewed iframe { zoom: 1.25; } }
/* On a phone the preview stands above its form and stays there, small, while somebody fills the form in. */
@media (max-width: 49.99rem) {
  .stays { position: sticky; bottom: 0; z-index: 1; flex-wrap: nowrap; align-items: stretch; margin: 0 -1rem 1rem; padding: .5rem 1rem; background: var(--card); border-top: 1px solid var(--line); }
  .stays > *, .stays button { flex: 1; }
  .stays > div { display: flex; gap: .5rem; }
  .stays button { flex-direction: column; gap: 0; padding: .25rem; font-size: var(--small); line-height: 1.3; }
  /* The last of a stack: it stays in sight, and at the end it stands below the others instead of over them. */
  .stack:not([hidden]) { display: flex; flex-direction: column; }
  .stack > .stays { order: 1; margin: 1rem calc(-1 * clamp(1.25rem, 5vw, 2rem)) 0; padding-inline: clamp(1.25rem, 5vw, 2rem); }
  :is(.designer, .previewed) { display: flex; flex-direction: column; }
  .previewed > div { display: contents; }
  .previewed .card:has(.preview) { order: -1; }
  .stuck { display: grid; grid-template-columns: minmax(0, 3fr) minmax(0, 2fr); gap: .5rem .75rem; align-items: center; margin-inline: -1rem; padding: .75rem 1rem; border-radius: 0; }
  .stuck > .stage { margin: 0; }
  .tools { display: grid; gap: .5rem; }
  .stuck :is(select, button) { min-height: var(--touch); padding: .25rem .5rem; }
  .stuck :is(h2, label) { position: absolute; left: -99rem; }
  @media (min-height: 30rem) {
    .stuck { position: sticky; top: 0; z-index: 1; }
    html:has(.stuck) { scroll-padding-top: 10rem; }
  }
}
/* The dock for OBS: narrow, and dark whatever the theme of the system is. Its buttons stay in sight. */
html:has(.dock) { scroll-padding-top: 10rem; }
.dock { padding: 0; }
.dock main { max-width: none; padding: 0 .75rem 1rem; border: 0; border-radius: 0; background: var(--paper); line-height: 1.5; }
.dock h2 { margin: 1rem 0 .25rem; font-size: 1rem; }
.dock button { min-height: 2.75rem; padding: .25rem .5rem; }
.dock .hands { position: sticky; top: 0; z-index: 1; margin: 0 -.75rem .5rem; padding: .5rem .75rem; background: var(--paper); border-bottom: 1px solid var(--line); }
.dock .hands :is(p, .buttons) { gap: .375rem; margin: 0 0 .375rem; }
`;

/** The source that style-src allows. */
export const stylesheetSource = `'sha256-${hash("sha256", stylesheet, "base64")}'`;
