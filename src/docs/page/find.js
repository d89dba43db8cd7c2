// The search of the documentation, by the server for the search page and by the browser while somebody types. A word is found inside of
// words, too, because Thai is written without spaces between them.

const excerptLength = 160;
const lengthBeforeMatch = 50;

/** All that is found, best first. */
export function find(places, query, language) {
  return rank(places, query).map((place) => show(place, query, language));
}

/** The places that have every word of the query, best first. */
export function rank(places, query) {
  const words = wordsOf(query);
  if (words.length === 0) return [];
  const phrase = folded(query.trim());
  return places
    .map((place) => ({ place, score: Math.max(...fold(place).map((view) => scoreOf(view, words, phrase))) }))
    .filter(({ score }) => score > 0)
    .map(({ place, score }) => ({ place, score: place.kind === "member" ? score / 2 : score }))
    .sort((a, b) => b.score - a.score)
    .map(({ place }) => place);
}

/** The words of a query, Thai ones as the browser's or the server's dictionary divides them. */
function wordsOf(query) {
  const words = query.split(/[\s"'`,;]+/).flatMap((part) => (/[\u0E00-\u0E7F]/.test(part) && Intl.Segmenter ? thaiWords(part) : [part]));
  return [...new Set(words.map(folded))].filter((word) => /[\p{L}\p{N}]/u.test(word));
}

/** The dictionary takes a word that it does not know for several; a piece of one or two characters belongs to what follows it: โด|เนท. */
function thaiWords(text) {
  const words = [];
  let start = "";
  for (const { segment } of new Intl.Segmenter("th", { granularity: "word" }).segment(text)) {
    start += segment;
    if (start.length < 3) continue;
    words.push(start);
    start = "";
  }
  return start === "" ? words : [...words, start];
}

function folded(text) {
  return text.normalize("NFC").toLowerCase();
}

/** In the reader's language first. */
function viewsOf({ title, within, text, th }, language) {
  const en = { title, within, text, language: "en" };
  if (!th) return [en];
  const thai = { ...th, language: "th" };
  return language === "th" ? [thai, en] : [en, thai];
}

const foldedViews = new WeakMap();

/** The folded texts of a place. They are kept for all searches, because folding takes longer than searching. */
export function fold(place) {
  const known = foldedViews.get(place);
  if (known) return known;
  const views = viewsOf(place, "en").map(({ title, within, text }) => [folded(title), folded(within), folded(text)]);
  foldedViews.set(place, views);
  return views;
}

/** 0 when a word is missing. */
function scoreOf([inTitle, inWithin, inText], words, phrase) {
  let score = inTitle === phrase ? 60 : inTitle.includes(phrase) ? 20 : inText.includes(phrase) ? 4 : 0;
  for (const word of words) {
    const best = Math.max(scoreIn(inTitle, word, 10), scoreIn(inWithin, word, 4), scoreIn(inText, word, 2));
    if (best === 0) return 0;
    score += best;
  }
  return score;
}

/** Twice as much at the beginning of a word. An English word is found in its other forms as well: `retries` in `retry`. */
function scoreIn(text, word, weight) {
  const at = text.indexOf(word);
  if (at === -1) {
    const stem = stemOf(word);
    return stem !== word && text.includes(stem) ? weight / 2 : 0;
  }
  return at === 0 || !/[\p{L}\p{N}]/u.test(text[at - 1]) ? 2 * weight : weight;
}

function stemOf(word) {
  const stem = word.replace(/(?:ies|ied|ing|ed|es|s|y)$/, "");
  return /^[a-z]{4,}$/.test(stem) ? stem : word;
}

/** A place that was found by the query, for its readers: marks what matches. */
export function show(place, query, language) {
  const [view] = viewsOf(place, language);
  const pattern = patternOf(wordsOf(query));
  return {
    kind: place.kind,
    href: place.href,
    title: marked(view.title, pattern),
    within: view.within,
    excerpt: marked(excerptOf(view.text, pattern), pattern),
    language: view.language,
  };
}

function patternOf(words) {
  const alternatives = words.flatMap((word) => [word, stemOf(word)]).sort((a, b) => b.length - a.length);
  return new RegExp(alternatives.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|"), "giu");
}

function marked(text, pattern) {
  const pieces = [];
  let end = 0;
  for (const { 0: match, index } of text.matchAll(pattern)) {
    pieces.push({ text: text.slice(end, index), isMatch: false }, { text: match, isMatch: true });
    end = index + match.length;
  }
  return [...pieces, { text: text.slice(end), isMatch: false }].filter((piece) => piece.text !== "");
}

/** The part of the text around the first match, from one space to another where there are spaces. */
function excerptOf(text, pattern) {
  const at = Math.max(0, text.search(pattern) - lengthBeforeMatch);
  const start = at === 0 ? 0 : breakBefore(text, at);
  const end = start + excerptLength >= text.length ? text.length : breakBefore(text, start + excerptLength);
  return `${start > 0 ? "… " : ""}${text.slice(start, end).trim()}${end < text.length ? " …" : ""}`;
}

/** The place of a space near; in Thai and in long words, before a character that is no sign of the one before it. */
function breakBefore(text, place) {
  const space = text.lastIndexOf(" ", place);
  if (space > place - 30) return space;
  let free = place;
  while (/[\p{M}\u0E33\uDC00-\uDFFF]/u.test(text[free] ?? "")) free -= 1;
  return free;
}
