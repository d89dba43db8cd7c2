// The HTML of the overlay and the widgets. It is the same for every streamer, because the overlay key never leaves the browser's address.

import { asText, type Html, html } from "../ui/html.ts";

/** Returns the relative address of a bundled file, for instance `overlay.js`. */
type FindAsset = (name: string) => string;

export const documentNames = ["overlay", "goal", "total", "recent", "top", "donator", "timer"] as const;
type DocumentName = (typeof documentNames)[number];

/** A complete document. Its addresses are relative, so that the server may stand under any path. */
export function renderDocument(name: DocumentName, brand: string, asset: FindAsset): string {
  const style = name === "overlay" ? "overlay.css" : "widgets.css";
  const chime = name === "overlay" && html` data-chime="${asset("chime.wav")}"`;
  return asText(html`<!doctype html>
<html lang="th" data-page="${name}" data-worker="worker.js"${chime}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${brand} · ${name}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${asset(style)}">
<script defer src="${asset(`${name}.js`)}"></script>
</head>
<body>
${bodies[name]}
</body>
</html>
`);
}

const heart =
  "M12 21C5.5 16.2 2 12.6 2 8.4 2 5.4 4.3 3 7.2 3 9.1 3 10.9 4 12 5.6 13.1 4 14.9 3 16.8 3 19.7 3 22 5.4 22 8.4 22 12.6 18.5 16.2 12 21z";
const heartShape = html`<svg viewBox="0 0 24 24"><use href="#heart"/></svg>`;

const bodies: Record<DocumentName, Html> = {
  overlay: html`<main role="status" aria-live="polite" aria-atomic="true">
<div class="alert" data-part="alert" hidden>
<div class="hearts" aria-hidden="true">${Array.from({ length: 12 }, () => heartShape)}</div>
<div class="card">
<div class="medal" aria-hidden="true"><svg viewBox="0 0 24 24"><path id="heart" d="${heart}"/></svg></div>
<div class="picture" data-part="picture"></div>
<p class="name foreign" data-part="name" dir="auto"></p>
<p class="verb" data-part="verb"></p>
<p class="amount" data-part="amount"></p>
<p class="line foreign" data-part="head" dir="auto" hidden></p>
<div class="message foreign" data-part="message"><p data-part="text" dir="auto"></p></div>
<p class="line foreign" data-part="tail" dir="auto" hidden></p>
</div>
</div>
</main>`,
  goal: html`<main class="card" data-part="card" hidden>
<div class="head"><p class="title line foreign" data-part="title" dir="auto"></p><p class="soft percent" data-part="percent"></p></div>
<div class="track"><div class="bar" data-part="bar"></div></div>
<div class="foot"><p class="money" data-part="current"></p><p class="soft" data-part="target"></p></div>
</main>`,
  total: html`<main class="card total" data-part="card" hidden>
<div class="head"><p class="title line foreign" data-part="title" dir="auto"></p><p class="soft" data-part="count"></p></div>
<p class="money" data-part="amount"></p>
</main>`,
  recent: list("recent"),
  top: list("top"),
  donator: html`<main class="card donator" data-part="card" hidden>
<div class="head"><p class="title line foreign" data-part="title" dir="auto"></p><p class="money" data-part="amount"></p></div>
<p class="name foreign" data-part="name" dir="auto"></p>
</main>`,
  timer: html`<main class="card timer" data-part="card" hidden>
<div class="head"><p class="title line foreign" data-part="title" dir="auto"></p><p class="soft" data-part="state"></p></div>
<p class="left"><span class="money" data-part="left"></span><span class="gain" data-part="gain" aria-hidden="true"></span></p>
</main>`,
};

function list(kind: string): Html {
  return html`<main class="card ${kind}" data-part="card" hidden>
<p class="title line foreign" data-part="title" dir="auto"></p>
<ol data-part="rows"></ol>
</main>`;
}
