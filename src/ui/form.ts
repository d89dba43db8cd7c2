// A form that posts to this server, with its form token in a hidden field.

import { type Html, html } from "./html.ts";

export type Form = Readonly<{
  action: string;
  formToken: string;
  /** The fields; a form with an id may have its buttons elsewhere in the page. */
  content?: Html;
  id?: string;
  /** For a form with a file. */
  multipart?: boolean;
}>;

export function postForm({ action, formToken, content, id, multipart = false }: Form): Html {
  return html`<form${id && html` id="${id}"`} method="post" action="${action}"${multipart && html` enctype="multipart/form-data"`}>
<input type="hidden" name="formToken" value="${formToken}">
${content}
</form>`;
}
