// The button in the header of every page that switches between Thai and English, without a script.

import { type Html, html, htmlFor } from "./html.ts";
import type { Language } from "./reader.ts";

/** The path that the switch posts to. */
export const languagePath = "/language";

/** Languages by the names that their readers know them by. */
const names: Record<Language, string> = { th: "ไทย", en: "English" };

export const languageSwitch: Html = htmlFor(({ language, languageSwitch: at }) => {
  if (at === null) return null;
  const other: Language = language === "th" ? "en" : "th";
  return html`<form class="language" method="post" action="${at.action}">
<input type="hidden" name="back" value="${at.back}">
<button class="quiet" name="language" value="${other}" lang="${other}">${names[other]}</button>
</form>`;
});
