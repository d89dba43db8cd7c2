// The page that shows an error.

import { html } from "./html.ts";
import { type Bilingual, bilingual, renderPage } from "./layout.ts";

type Text = Readonly<{ th: string; en: string }>;

export type ErrorPage = Readonly<{
  title: Text;
  /** What the visitor can do. */
  advice: Bilingual;
  /** For the developer of an application, in English; never internal details. */
  detail?: string;
  requestId?: string;
  brand?: string;
}>;

export function errorPage({ title, advice, detail, requestId, brand }: ErrorPage): string {
  const small =
    (detail || requestId) &&
    html`<div class="details note" lang="en">
${detail && html`<p>${detail}</p>`}
${requestId && html`<p>Request ${requestId}</p>`}
</div>`;
  return renderPage({
    title,
    ...(brand && { brand }),
    content: html`<h1>${bilingual(title)}</h1>
<p>${bilingual(advice)}</p>
${small}`,
  });
}
