// Blocks of code in a guide. Adjacent samples in several languages become tabs (page/samples.js); without a script they stand one below
// the other.

import type { Token } from "markdown-it";
import { asText, html, trusted } from "../ui/html.ts";
import { bilingual } from "../ui/layout.ts";
import { highlight } from "./highlight.ts";

const names: Readonly<Record<string, string>> = {
  sh: "Shell",
  js: "Node.js",
  ts: "TypeScript",
  python: "Python",
  json: "JSON",
  http: "HTTP",
  html: "HTML",
  css: "CSS",
  text: "Text",
};

/** Languages that one sample may be written in. */
const programming: ReadonlySet<string> = new Set(["sh", "js", "ts", "python"]);

/** Renders the block of code at `index`, and the beginning and the end of the group of samples that it stands in. */
export function renderCode(tokens: readonly Token[], index: number): string {
  const [before, here, after] = [isSample(tokens[index - 1]), isSample(tokens[index]), isSample(tokens[index + 1])];
  const begins = here && !before && after;
  const ends = here && before && !after;
  const label = asText(bilingual({ th: "ภาษาของตัวอย่าง", en: "Language of the sample" }));
  return `${begins ? `<div class="samples" data-label="${label}">\n` : ""}${codeBlock(tokens[index] as Token)}${ends ? "</div>\n" : ""}`;
}

function isSample(token: Token | undefined): boolean {
  return token?.type === "fence" && programming.has(token.info.trim());
}

/** Wide lines scroll, also by keyboard. The copy button comes from a script (page/guide.js). */
function codeBlock({ info, content }: Token): string {
  const language = info.trim();
  const name = language === "sh" && /\bcurl\b/.test(content) ? "curl" : (names[language] ?? language);
  return asText(html`<div class="code"${language && html` data-name="${name}" data-language="${language}"`}>
<pre tabindex="0" role="group" aria-label="${bilingual({ th: "โค้ด", en: "Code" })}${name && `: ${name}`}"><code>${trusted(highlight(content, language))}</code></pre>
</div>
`);
}
