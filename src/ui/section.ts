// A part of a page. On a desktop what it is stands at the left, and what can be done with it at the right.

import { type Html, html } from "./html.ts";
import { type Bilingual, bilingual } from "./layout.ts";

/** `about`: what it is for, below its title. */
type Section = Readonly<{ title: Bilingual; about?: Html | null | false; content: Html }>;

export function section(id: string, { title, about, content }: Section): Html {
  return html`<section class="card section" aria-labelledby="${id}">
<div><h2 id="${id}">${bilingual(title)}</h2>
${about}</div>
<div>${content}</div>
</section>`;
}

/** A line of `about`. */
export function aboutText(words: Bilingual): Html {
  return html`<p class="note">${bilingual(words)}</p>`;
}
