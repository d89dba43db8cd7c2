// Blocks of code in a guide. Adjacent samples in several languages become tabs (page/guide.js); without a script they stand one below
// the other.

import type { Token } from "markdown-it";
import { asText, escapeText, html, trusted } from "../ui/html.ts";
import { bilingual } from "../ui/layout.ts";

const names: Readonly<Record<string, string>> = {
  sh: "Shell",
  js: "Node.js",
  mjs: "JavaScript",
  ts: "TypeScript",
  python: "Python",
  php: "PHP",
  go: "Go",
  csharp: "C#",
  json: "JSON",
  http: "HTTP",
  html: "HTML",
  css: "CSS",
  text: "Text",
};

/** Languages that one sample may be written in. */
const programming: ReadonlySet<string> = new Set(["sh", "js", "ts", "python", "php", "go", "csharp"]);

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

// Marks comments, strings, numbers and names in code for the style sheet (page/code.css): the few languages that guides are written in.

/** What each kind of token looks like, in the order in which they are tried. A kind is a class of the style sheet. */
type Grammar = Readonly<Record<string, RegExp>>;

const number = /\b\d[\d_]*(?:\.\d+)?(?:[eE][+-]?\d+)?\b/;
const doubleQuoted = /"(?:\\.|[^"\\])*"/;
const singleQuoted = /'(?:\\.|[^'\\])*'/;
const tripleQuoted = /"""[\s\S]*?"""/;

const script: Grammar = {
  comment: /\/\/[^\n]*|\/\*[\s\S]*?\*\//,
  string: new RegExp(`${/`(?:\\.|[^`\\])*`/.source}|${doubleQuoted.source}|${singleQuoted.source}`),
  number,
  keyword:
    /\b(?:as|async|await|break|case|catch|class|const|continue|default|else|export|extends|finally|for|from|function|if|import|in|instanceof|interface|let|new|null|of|return|satisfies|switch|throw|true|false|try|type|typeof|undefined|while|yield)\b/,
  name: /\b[A-Za-z_$][\w$]*(?=\()/,
  property: /\b[A-Za-z_$][\w$]*(?=\??:)/,
};

const grammars: Readonly<Record<string, Grammar>> = {
  json: {
    property: /"(?:\\.|[^"\\])*"(?=\s*:)/,
    string: doubleQuoted,
    number: /-?\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b/,
    keyword: /\b(?:true|false|null)\b/,
  },
  sh: {
    comment: /(?<=^|\s)#[^\n]*/,
    string: /"(?:\\.|[^"\\])*"|'[^']*'/,
    property: /\$(?:\w+|\{[^}]*\})|\b[A-Z_][A-Z\d_]*(?==)/,
    keyword: /(?<=^|\s)--?[a-zA-Z][\w-]*|\b(?:if|then|else|fi|for|in|do|done|while|until|export|trap)\b(?!-)/,
    name: /\b(?:curl|python3?|node|npm|npx|cat|kill|sleep|openssl|jq|echo|printf|timeout|head|grep|sed|tr|cut)\b(?![-./=])/,
  },
  python: {
    comment: /#[^\n]*/,
    string: new RegExp(`(?:\\b[fbr]{1,2})?(?:${tripleQuoted.source}|${doubleQuoted.source}|${singleQuoted.source})`),
    number,
    keyword:
      /\b(?:and|as|assert|async|await|break|class|continue|def|del|elif|else|except|finally|for|from|global|if|import|in|is|lambda|None|nonlocal|not|or|pass|raise|return|True|False|try|while|with|yield)\b/,
    name: /\b[A-Za-z_]\w*(?=\()/,
    property: /\b[A-Za-z_]\w*(?==[^=])/,
  },
  js: script,
  mjs: script,
  ts: script,
  php: script,
  go: script,
  csharp: script,
  http: { keyword: /^[A-Z]+(?= \S)|\bHTTP\/[\d.]+ \d{3}/, property: /^[A-Z][\w-]*(?=:)/, string: doubleQuoted },
  css: {
    comment: /\/\*[\s\S]*?\*\//,
    string: doubleQuoted,
    property: /[-\w]+(?=:\s)/,
    number: /#[\da-fA-F]{3,8}\b|\b\d+(?:\.\d+)?(?:[a-z]+|%)?/,
    name: /[.#][A-Za-z][-\w]*|@[-\w]+/,
  },
};

const patterns = new Map(Object.entries(grammars).map(([language, grammar]) => [language, patternOf(grammar)]));

/** Returns HTML; the code of an unknown language has no marks. */
export function highlight(code: string, language: string): string {
  const pattern = patterns.get(language);
  if (!pattern) return escapeText(code);
  let end = 0;
  let text = "";
  for (const { 0: token, index, groups = {} } of code.matchAll(pattern)) {
    const kind = Object.keys(groups).find((name) => groups[name] !== undefined);
    text += `${escapeText(code.slice(end, index))}<span class="${kind}">${inside(token, language)}</span>`;
    end = index + token.length;
  }
  return text + escapeText(code.slice(end));
}

/** A JSON body in quotes of the shell is marked as JSON. */
function inside(token: string, language: string): string {
  const isBody = language === "sh" && /^'\s*[{[]/.test(token);
  return isBody ? `&#39;${highlight(token.slice(1, -1), "json")}&#39;` : escapeText(token);
}

function patternOf(grammar: Grammar): RegExp {
  return new RegExp(
    Object.entries(grammar)
      .map(([kind, { source }]) => `(?<${kind}>${source})`)
      .join("|"),
    "gm",
  );
}
