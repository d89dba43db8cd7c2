// The styles of what stands around a streamer's pages (streamer-pages.ts). They are a part of the style sheet of all pages.

export const frameStyles = `/* The frame of a streamer's pages: navigation at the side, on a phone a row for the title and a bar at the bottom. */
.framed { display: grid; grid-template-columns: 15.5rem minmax(0, 1fr); align-items: start; padding: 0; }
.framed > header { position: sticky; top: 0; height: 100dvh; display: flex; flex-direction: column; padding: var(--space-4) var(--space-3); border-inline-end: 1px solid var(--line); }
.framed > header > .brand { padding: 0 var(--space-2) var(--space-3); color: inherit; text-decoration: none; }
main.broad { justify-self: center; max-width: 84rem; padding: var(--space-6) 2rem 3rem; background: none; border: 0; box-shadow: none; }
.titled { display: flex; flex-wrap: wrap; gap: var(--space-2) var(--space-4); align-items: center; justify-content: space-between; margin: 0 0 1.25rem; }
.places { flex: 1 1 auto; overflow-y: auto; }
.places .group { margin: var(--space-4) 0 0; padding: 0 var(--space-2); color: var(--soft); font-size: var(--small); }
:is(.places, .menu) a, :is(.places, .account) summary, .menu button, .overall a {
  display: flex; gap: var(--space-3); align-items: center; width: 100%; min-height: var(--touch); padding: .25rem var(--space-2); color: inherit; text-align: start; text-decoration: none; border-radius: var(--round-small); list-style: none;
}
.menu button { justify-content: start; border-color: transparent; background: none; font-weight: 400; text-decoration: none; color: inherit; }
:is(.places, .menu) .icon { color: var(--soft); }
:is(.places, .menu) a:hover, .framed summary:hover, .menu button:hover, .overall a:hover { background: color-mix(in srgb, var(--ink) 6%, transparent); }
:is(.places, .menu) [aria-current], .menu button[aria-pressed=true] { background: var(--tint); font-weight: 600; }
:is(.places, .menu) [aria-current] .icon { color: var(--accent); }
.places a:focus-visible { outline-offset: -2px; }
:is(.more, .account) > summary::-webkit-details-marker { display: none; }
.overall a { font-size: var(--small); }
.account { position: relative; }
.avatar, .mark { display: grid; place-items: center; flex: none; width: 1.75rem; height: 1.75rem; border-radius: 50%; background: var(--tint); font-size: var(--small); font-weight: 600; }
.account summary span:last-of-type { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.menu { position: absolute; z-index: 3; bottom: calc(100% + .25rem); left: 0; width: 15rem; padding: var(--space-2); background: var(--card); border-radius: var(--round); box-shadow: var(--raised); }
.menu > * + * { margin-top: var(--space-2); padding-top: var(--space-2); border-top: 1px solid var(--line); }
.choices { display: flex; gap: var(--space-1); }
.menu .choices button { flex: 1; justify-content: center; padding-inline: .25rem; }
@media (min-width: 40.01rem) and (max-height: 53rem) and (pointer: fine) { .places a { min-height: 2rem; } } /* every entry in sight on 1280 × 800 */
@supports selector(::details-content) { @media (min-width: 40.01rem) {
  .more > summary { display: none; }
  .more::details-content { content-visibility: visible; }
} }
@media (max-width: 40rem) {
  input, textarea, select { font-size: 1rem; } /* iOS zooms in on a smaller one */
  .framed { display: block; padding-bottom: calc(3.5rem + env(safe-area-inset-bottom)); }
  .framed > header { position: absolute; inset: 0 0 auto auto; z-index: 2; height: 3.5rem; flex-direction: row; align-items: center; padding: 0 var(--space-2); border: 0; }
  .framed > header > .brand { display: none; }
  .overall span { max-width: 5rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  .account summary span:last-of-type { position: absolute; width: 1px; height: 1px; clip-path: inset(50%); }
  main.broad { padding: 0 1rem 2rem; }
  .titled { margin-bottom: var(--space-2); row-gap: 0; }
  .titled h1 { flex: 0 0 100%; padding: .875rem 9.5rem .875rem 0; font-size: 1.25rem; }
  .menu { inset: 100% 0 auto auto; }
  .framed :is(.save, .stays) { bottom: calc(3.5rem + env(safe-area-inset-bottom)); }
  .broad > .right[role=status] { bottom: 4.5rem; }
  .places {
    position: fixed; inset: auto 0 0; z-index: 3; display: grid; grid-template-columns: 4fr 1fr; overflow: visible; height: calc(3.5rem + env(safe-area-inset-bottom));
    padding: 0 var(--space-1) env(safe-area-inset-bottom); background: var(--card); border-top: 1px solid var(--line);
  }
  .places > ul { display: grid; grid-template-columns: repeat(4, 1fr); }
  .places > ul a, .more > summary { flex-direction: column; gap: 0; justify-content: center; height: 3.5rem; padding: 0; font-size: .75rem; line-height: 1.3; }
  .places > ul [aria-current], .more > .holds { background: none; color: var(--accent); font-weight: 600; }
  .more[open] > div { position: fixed; inset: auto 0 calc(3.5rem + env(safe-area-inset-bottom)); max-height: 70dvh; overflow-y: auto; padding: 0 1rem 1rem; background: var(--card); border-radius: var(--round) var(--round) 0 0; box-shadow: var(--raised); }
}`;
