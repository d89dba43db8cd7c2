// report.html: a single file without external resources.

import { assets } from "./assets.ts";
import { anchor, code, failureOf, titleMarkup } from "./failure.ts";
import { count, type Markup, markup, plural, raw, when } from "./format.ts";
import { type FailureGroup, groupsOf, headlineOf, type Outcome, toneOf } from "./headline.ts";
import {
  type Cell,
  countsOf,
  cutShort,
  cutShortText,
  digestsOf,
  type Edge,
  edgesOf,
  families,
  matrixOf,
  type Row,
  type Rule,
  type Run,
  reasonsOf,
  valuesOf,
} from "./run.ts";

export const htmlOf = (run: Run): string =>
  String(markup`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${headlineOf(run).outcome} · conformance of ${run.implementation}</title>
<style>${raw(assets.style)}</style>
</head>
<body class="${toneOf(run).replace(" ", "-")}">
${header(run)}
<main>
${when(run.reason, notMeasurable(run))}
${run.errors.map((error) => markup`<pre class="error">${error}</pre>`)}
${failures(run)}
${knownFailures(run)}
${matrix(run.rules)}
${notRun(run)}
${edges(run.rules)}
${allRules(run.rules)}
</main>
${footer(run)}
<script>${raw(assets.script)}</script>
</body>
</html>
`);

const headings: Record<Outcome, string> = {
  passed: "Passed: every required rule was run, none failed",
  incomplete: "Incomplete: not everything required was tried",
  failed: "Failed: the server does not conform",
  "not measurable": "Not measurable: the server could not be tested",
};

const seals: Record<Outcome, string> = { passed: "✓", incomplete: "–", failed: "✗", "not measurable": "?" };

function header(run: Run): Markup {
  const { rules, passed, notAsked, failed, known, notRun, tried, leftOut, requests } = countsOf(run.rules);
  const { outcome, text } = headlineOf(run);
  const share = (some: number): string => (rules === 0 ? "0" : ((100 * some) / rules).toFixed(3));
  return markup`<header>
<button id="theme" type="button" aria-label="Light or dark">◐</button>
<p class="kicker">Conformance · profile ${run.profile} · ${run.depth}${run.only === null ? "" : ` · only “${run.only}”`}</p>
<h1><span class="seal" aria-hidden="true">${seals[outcome]}</span>${heading(run, outcome)}</h1>
<p class="headline">${when(outcome !== "not measurable", markup`${text}`)}</p>
<p class="server">${serverText(run)}</p>
<div class="bar" role="img" aria-label="${passed} passed, ${failed} failed, ${known} known failures, ${notRun} not run">
<i class="failed" style="width:${share(failed)}%"></i>${when(known, markup`<i class="known" style="width:${share(known)}%"></i>`)}<i class="passed" style="width:${share(passed)}%"></i><i class="missing" style="width:${share(notRun)}%"></i>
</div>
<dl class="numbers">
${number(passed, "rules passed", "passed")}${number(failed, "rules failed", failed > 0 ? "failed" : "")}${when(known, number(known, known === 1 ? "known failure" : "known failures", "known"))}${number(notRun, "not run", "missing")}${when(notAsked, number(notAsked, "not asked of the server"))}
${number(tried, leftOut > 0 ? `values tried, of ${count(tried + leftOut)}` : "values tried")}${number(requests, "requests")}
<div><dd>${(run.milliseconds / 1000).toFixed(1)} s</dd><dt>${run.startedAt.toISOString().slice(0, 16).replace("T", " ")} UTC</dt></div>
</dl>
</header>`;
}

/** A run that leaves out rules by intent says nothing about them. */
function heading(run: Run, outcome: Outcome): string {
  const { depth, only, changedSince, shard } = run;
  const limits = [
    depth === "full" ? "" : `--depth ${depth}`,
    only === null ? "" : "--only",
    changedSince === null ? "" : "--changed-since",
    shard === null ? "" : `--shard ${shard.index}/${shard.count}`,
  ].filter(Boolean);
  if (outcome === "not measurable" && run.rules.length > 0) return "Not measurable: the run did not end";
  if (outcome !== "passed") return headings[outcome];
  const within = limits.length > 0 ? `Passed within ${limits.join(" and ")}` : "";
  if (toneOf(run) === "known") return `${within || "Passed"}, except for known failures`;
  return within || headings.passed;
}

function serverText({ server, implementation, mutant }: Run): string {
  const started = server.ours ? " (started for this run)" : "";
  const name = implementation === server.url ? "" : `${implementation}, `;
  return `${name}${server.url}${mutant === null ? started : `, mutant ${mutant}`}`;
}

const number = (value: number, label: string, kind = ""): Markup =>
  markup`<div class="${kind}"><dd>${count(value)}</dd><dt>${label}</dt></div>`;

const notMeasurable = ({ reason }: Run): Markup =>
  markup`<section class="failure"><h2>Reason</h2><p>${reason?.text ?? ""}</p>${when(reason?.curl, code(reason?.curl ?? ""))}</section>`;

function failures(run: Run): Markup {
  const { failed } = countsOf(run.rules);
  if (failed === 0) return markup``;
  return markup`<section id="failures"><h2>${plural(failed, "failed rule")}</h2>${groupsOf(run.rules).map((group) => groupOf(group, run))}</section>`;
}

/** Failures that the baseline names: no reason for the run to fail. */
function knownFailures(run: Run): Markup {
  const known = run.rules.filter((rule) => rule.known);
  if (known.length === 0) return markup``;
  return markup`<section id="known"><h2>${plural(known.length, "known failure")}</h2>
<p class="lead">The baseline names these failures, so the run does not fail because of them.</p>
${known.map((rule) => failureOf(rule, run))}</section>`;
}

/** Rules that failed for the same reason: the first is shown in full, the others are folded. */
function groupOf({ reason, rules: [example, ...others] }: FailureGroup, run: Run): Markup {
  if (others.length === 0) return failureOf(example, run);
  return markup`<h3 class="alike">${plural(others.length + 1, "rule")} failed for the same reason: ${reason}</h3>
${failureOf(example, run)}
<details class="alike"><summary>${plural(others.length, "other rule")}</summary>${others.map((rule) => failureOf(rule, run))}</details>`;
}

function matrix(rules: readonly Rule[]): Markup {
  const { fields, rows, others } = matrixOf(rules, 14);
  if (rows.length + others.length === 0) return markup``;
  const maxTried = Math.max(...[...rows, ...others].flatMap(({ cells }) => [...cells.values()].map(({ tried }) => tried)));
  return markup`<section id="matrix"><h2>Values tried</h2>
<p class="lead">Number of values tried by rule file and field. A stronger colour means more values; red means that a rule failed, amber that it failed as the baseline says.</p>
${when(rows.length > 0, table(fields, rows, maxTried))}
${when(
  others.length > 0,
  markup`<p class="lead others">Rule files whose values belong to no single field:</p>
<ul class="tiles">${others.map(
    ({ family, cells }) => markup`<li><a href="#family-${family}">${family}</a>${tile(cells.get(""), maxTried)}</li>`,
  )}</ul>`,
)}
</section>`;
}

const table = (
  fields: readonly string[],
  rows: readonly Row[],
  most: number,
): Markup => markup`<div class="scroll" tabindex="0" role="region" aria-label="Values tried by rule file and field"><table class="matrix">
<thead><tr><td></td>${fields.map((field) => markup`<th scope="col"><span>${field || "others"}</span></th>`)}</tr></thead>
<tbody>${rows.map(
  ({ family, cells }) =>
    markup`<tr><th scope="row"><a href="#family-${family}">${family}</a></th>${fields.map((field) => cellOf(cells.get(field), most))}</tr>
`,
)}</tbody>
</table></div>`;

const cellOf = (cell: Cell | undefined, most: number): Markup =>
  cell ? markup`<td>${tile(cell, most)}</td>` : markup`<td class="empty">·</td>`;

function tile(cell: Cell | undefined, most: number): Markup {
  if (!cell) return markup``;
  const heat = Math.round(8 + (72 * Math.log(1 + cell.tried)) / Math.log(1 + most));
  const title = `${plural(cell.tried, "value")} tried; ${plural(cell.passed, "rule")} passed, ${count(cell.failed)} failed, ${plural(cell.known, "known failure")}`;
  const state = cell.failed > 0 ? "failed" : cell.known > 0 ? "known" : "passed";
  return markup`<span class="tile ${state}" style="--heat:${heat}%" title="${title}">${count(cell.tried)}${when(cell.failed > 0, markup` <b>✗${cell.failed}</b>`)}${when(cell.known > 0, markup` <b>!${cell.known}</b>`)}</span>`;
}

function notRun({ rules, leftOut }: Run): Markup {
  const reasons = [...reasonsOf(rules)];
  const cut = cutShortText(rules);
  if (reasons.length + leftOut.length === 0 && cut === null) return markup``;
  return markup`<section id="not-run" class="absent"><h2>Not run</h2><p class="lead">These rules were not run, so they say nothing about the server.</p>
${reasons.map(
  ([reason, some]) => markup`<details><summary><b>${plural(some.length, "rule")}</b> ${reason}</summary>
<ul>${some.map(({ family, title }) => markup`<li><span class="family">${family}</span> ${title}</li>`)}</ul></details>`,
)}
${when(cut !== null, markup`<p>${cut ?? ""}: ${[...families(cutShort(rules).rules).keys()].join(", ")}</p>`)}
${when(leftOut.length > 0, markup`<ul>${leftOut.map(({ family, reason }) => markup`<li><b>${family}</b> ${reason}</li>`)}</ul>`)}
</section>`;
}

function edges(rules: readonly Rule[]): Markup {
  const all = edgesOf(rules);
  if (all.length === 0) return markup``;
  const missed = all.filter(({ hits }) => hits === 0).length;
  const groups = [...Map.groupBy(all, ({ family }) => family)];
  return markup`<section id="edges"><h2>Edge cases</h2>
<p class="lead">How often each edge case was tried: ${count(all.length - missed)} of ${count(all.length)}. An edge case that was never tried is a failure.</p>
${groups.map(([family, some]) => edgesOfFamily(family, some))}</section>`;
}

const edgesOfFamily = (family: string, some: readonly Edge[]): Markup =>
  markup`<details class="edge-group" ${some.some(({ hits }) => hits === 0) ? raw("open") : ""}><summary><b>${family}</b> ${plural(some.length, "edge case")}</summary>
<ul class="edges">${some
    .toSorted((a, b) => a.hits - b.hits)
    .map(
      ({ edge, hits }) => markup`<li class="${hits === 0 ? "failed" : ""}"><span>${edge}</span><b>${count(hits)}</b></li>`,
    )}</ul></details>`;

/** What a rule looks like in lists: a known failure is not shown as failed. */
const lookOf = (rule: Rule): keyof typeof marks => (rule.known ? "known" : rule.state === "not run" ? "not-run" : rule.state);

const marks = { passed: "✓", failed: "✗", known: "!", "not-run": "–" };

function allRules(rules: readonly Rule[]): Markup {
  if (rules.length === 0) return markup``;
  return markup`<section id="rules"><h2>All rules</h2>
<p class="lead"><input id="filter" type="search" placeholder="filter rules" aria-label="Filter rules"></p>
${[...families(rules)].map(([family, group]) => familyOf(family, group))}</section>`;
}

function familyOf(family: string, rules: readonly Rule[]): Markup {
  const { failed, known, notRun, tried } = countsOf(rules);
  const state = failed > 0 ? "failed" : known > 0 ? "known" : notRun === rules.length ? "missing" : "passed";
  const told = [
    plural(rules.length, "rule"),
    `${count(tried)} tried`,
    failed > 0 ? `${failed} failed` : "",
    known > 0 ? `${known} known` : "",
    notRun > 0 ? `${notRun} not run` : "",
  ];
  return markup`<details class="rules" id="family-${family}"><summary><i class="${state}"></i><b>${family}</b> <small>${told.filter(Boolean).join(" · ")}</small></summary>
<ol>${rules.map(
    (rule) => markup`<li class="${lookOf(rule)}"><i>${marks[lookOf(rule)]}</i><span>${
      rule.state === "failed" ? markup`<a href="#${anchor(rule)}">${titleMarkup(rule.title)}</a>` : titleMarkup(rule.title)
    }</span><small>${valuesOf(rule) > 1 ? count(valuesOf(rule)) : ""}</small></li>
`,
  )}</ol></details>`;
}

function footer(run: Run): Markup {
  const digests = digestsOf(run.rules).map(
    ({ folder, digest, requests }) =>
      markup`<div><dt>digest of ${folder}/</dt><dd>${digest} <small>${plural(requests, "request")}</small></dd></div>`,
  );
  return markup`<footer class="ground"><dl><div><dt>seed</dt><dd>${run.seed}</dd></div>${digests}</dl>
<ul>${run.notes.map((note) => markup`<li>${note}</li>`)}</ul>
<p>The same seed sends the same bytes. Secrets are replaced by the names of their variables.</p></footer>`;
}
