// A form with the sealed transaction in it.

import { type Html, html } from "./html.ts";

export type Form = Readonly<{ action: string; transaction: string; content: Html }>;

export function postForm({ action, transaction, content }: Form): Html {
  return html`<form method="post" action="${action}">
<input type="hidden" name="transaction" value="${transaction}">
${content}
</form>`;
}
