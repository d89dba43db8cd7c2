// A form that posts to this server, with its form token in a hidden field.

import { type Html, html } from "./html.ts";

export type Form = Readonly<{
  action: string;
  formToken: string;
  /** The fields; a form with an id may have its buttons elsewhere in the page. */
  content?: Html;
  id?: string;
}>;

export function postForm({ action, formToken, content, id }: Form): Html {
  return html`<form${id && html` id="${id}"`} method="post" action="${action}">
<input type="hidden" name="formToken" value="${formToken}">
${content}
</form>`;
}
