// The styles of what shows data: filters, figures, the chart, lines of time, and lists as tables. They are a part of the style sheet of all pages.

export const dataStyles = `/* A bar of filters: the search, the button, and what unfolds below both. */
.filters { display: flex; flex-wrap: wrap; gap: var(--space-2); align-items: start; margin: 0 0 var(--space-2); }
:is(.filters, .titled) details[open] { flex-basis: 100%; }
.search { position: relative; flex: 1 1 12rem; max-width: 26rem; }
.search input { margin: 0; padding-left: 2.25rem; }
.search .icon { position: absolute; left: .625rem; top: .625rem; color: var(--soft); }
.chips { display: flex; flex-wrap: wrap; gap: var(--space-2); align-items: center; margin: 0 0 var(--space-3); font-size: var(--small); }
.chips .label { display: inline-flex; align-items: center; gap: .25rem; }
.in-row { display: flex; flex-wrap: wrap; gap: 0 .75rem; align-items: end; }
.in-row button { margin-bottom: 1.125rem; }
.figures { grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); margin: 0; }
@media (max-width: 40rem) { .figures > div:first-child:nth-last-child(3) { grid-column: 1 / -1; } }
@media (min-width: 50rem) { .figures > div + div { padding-inline-start: 1rem; border-inline-start: 1px solid var(--line); } }
.sum { display: block; font-size: clamp(1.125rem, 5vw, 1.5rem); line-height: 1.4; font-weight: 600; }
.lesser { grid-template-columns: repeat(auto-fit, minmax(7rem, 1fr)); }
.lesser strong { font-size: var(--large); }
.lesser strong a { color: inherit; text-decoration-color: var(--edge); }
.growth.up { color: var(--right); }
.chart { position: relative; display: grid; grid-template: 14rem auto / auto 1fr; gap: 0 .5rem; padding-top: 2rem; }
.scale { display: flex; flex-direction: column; justify-content: space-between; margin: -.5em 0; color: var(--soft); font-size: var(--small); line-height: 1; text-align: end; }
:is(.grid, .bars) { grid-area: 1 / 2; width: 100%; height: 100%; }
.grid line { stroke: var(--line); vector-effect: non-scaling-stroke; }
.bars { position: relative; display: flex; align-items: stretch; gap: max(1px, .2%); border-bottom: 1px solid var(--edge); }
.bars li { flex: 1 1 0; min-width: 0; }
.bars a, .bars svg { display: block; width: 100%; height: 100%; fill: var(--accent); }
.bars a:is(:hover, :focus-visible, .shown) { background: var(--tint); outline-offset: 0; }
.tip { position: absolute; bottom: 100%; left: 0; right: 0; padding-bottom: .5rem; opacity: 0; pointer-events: none; color: var(--ink); line-height: 1.4; }
.bars a:is(:hover, :focus-visible, .shown) .tip { opacity: 1; background: var(--card); }
.axis { grid-column: 2; display: flex; margin: .25rem 0 0; height: 1.5em; color: var(--soft); font-size: var(--small); white-space: nowrap; }
.axis > span { flex: 1 1 0; display: flex; justify-content: center; width: 0; }
.taps { grid-column: 1 / -1; margin: .5rem 0 0; }
@media (hover: hover), (scripting: none) { .taps { display: none; } }
/* A line of time, with a dot for each step. */
.story li { position: relative; padding: 0 0 1rem 1.5rem; }
.story li::before { position: absolute; left: 0; top: .375rem; width: .625rem; height: .625rem; }
.story li:not(:last-child)::after { content: ""; position: absolute; left: .25rem; top: 1.25rem; bottom: 0; width: .125rem; background: var(--line); }
table { border-collapse: collapse; width: 100%; }
caption { text-align: start; color: var(--soft); }
th, td { padding: .375rem .75rem .375rem 0; text-align: start; font-weight: 400; border-top: 1px solid var(--line); }
thead :is(th, td) { border-top: 0; }
thead th { font-weight: 600; }
/* Lists as tables: a row is a link. Donations have two lines where there is little room. */
.listed { container-type: inline-size; }
.list { font-size: .875rem; }
.list :is(th, td) { height: 2.375rem; padding: .25rem .75rem .25rem 0; white-space: nowrap; }
.list :is(th, td):last-child { padding-right: 0; }
.list th { color: var(--soft); font-size: var(--small); font-weight: 400; }
.list tbody tr { position: relative; }
.list tbody tr:is(:hover, :focus-within) { background: color-mix(in srgb, var(--ink) 4%, transparent); }
.list td.name, .list th.name[scope=row] { font-weight: 600; }
.list .name { width: 100%; max-width: 0; overflow: hidden; text-overflow: ellipsis; }
.list td:is(.time, .by, .rank) { color: var(--soft); }
.figure, .list .money { text-align: end; }
:is(.figure, .money, .amount, .sum, .time-left, .progress, .lesser strong, .story time) { font-variant-numeric: tabular-nums; }
.list td.money:last-child, .donations td.money { font-weight: 600; }
.donations :is(.name, .said) { width: auto; max-width: 13rem; overflow: hidden; text-overflow: ellipsis; }
@container (min-width: 36.01rem) { .donations .said { width: 100%; max-width: 0; } }
@container (max-width: 44rem) { .donations .by { display: none; } }
@container (max-width: 36rem) {
  .donations thead { display: none; }
  .donations tbody tr { display: grid; grid-template: "name time money" auto "said said status" auto / minmax(0, auto) 1fr auto; gap: 0 .5rem; align-items: baseline; padding: .5rem 0; border-top: 1px solid var(--line); }
  .donations tbody tr:first-child { border-top: 0; }
  .donations tbody td { height: auto; padding: 0; border: 0; }
  .donations .name { grid-area: name; } .donations .money { grid-area: money; } .donations .time { grid-area: time; } .donations .said { grid-area: said; } .donations .status { grid-area: status; }
}
.ticks { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(16rem, 100%), 1fr)); gap: .75rem 1.5rem; margin: 1rem 0; padding: 0; list-style: none; }
.ticks li { display: flex; gap: .75rem; }
.ticks > li > .icon { margin-top: .175em; color: var(--accent); }
:is(.list, .tip, .titled) small { display: inline; font-weight: 400; }
.card > .titled { margin-bottom: .5rem; }
.listed + .buttons { margin-top: var(--space-4); }`;
