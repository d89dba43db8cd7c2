// The search field: in the bar, and larger on the search page. It works without a script, by the search page.

import { type Html, html } from "../ui/html.ts";
import { bilingual } from "../ui/layout.ts";

/** Longer queries are not searched for. */
export const maxQueryLength = 100;

/** `root`: from the page to /docs/. */
export function searchForm(root: string, query = ""): Html {
  const label = bilingual({ th: "ค้นหาในเอกสาร", en: "Search the docs" });
  return html`<form class="search" role="search" action="${root}search">
<label class="unseen" for="query">${label}</label>
<input id="query" type="search" name="q" value="${query}" placeholder="${label}" maxlength="${maxQueryLength}" autocomplete="off" autocapitalize="none" spellcheck="false">
</form>`;
}
