// Names of applications, which streamers read when they are asked for access. A name that a streamer registers must not pass for the platform or
// for an application of its operator; one that an application gives itself is made readable, and the page says that nobody has checked it.

import type { Fault } from "../../http/problem.ts";

/** A limit of the studio only; the contract has none. */
const maxClientName = 60;

/** The rule that a name breaks; null when it breaks none. `taken`: names that nobody else may use. */
export function findNameFault(name: string, { brand, taken }: { brand: string; taken: readonly string[] }): Omit<Fault, "pointer"> | null {
  if (name === "") return { code: "required", message: "is required" };
  if ([...name].length > maxClientName) return { code: "too_long", message: `must have at most ${maxClientName} characters` };
  if (invisible.test(name)) return unusable("must not have control characters, invisible characters or line breaks");
  if (stacked.test(name)) return unusable("must not have more than three marks on one letter");
  if (!/[\p{L}\p{N}]/u.test(name)) return unusable("must have a letter or a digit");
  const looks = [skeletonOf(name), skeletonOf(readSymbols(name))];
  if (looks.some((one) => one.includes(skeletonOf(brand)))) return unusable("must not look like a name of this platform");
  if (taken.some((other) => looks.includes(skeletonOf(other)))) return unusable("is the name of another application");
  if (namesHostFirst(name)) return unusable("must not begin with an address and a dot: the names of applications that were found at it do");
  return isMixed(name) || unusual.test(name.normalize("NFKD")) ? unusable("must not have letters that pass for Latin ones") : null;
}

/** A name without characters that show nothing or change what stands around it; null when nothing is left to read. */
export function readableName(name: string): string | null {
  const shown = name
    .replaceAll(new RegExp(invisible, "gu"), " ")
    .replaceAll(/(\p{M}{3})\p{M}+/gu, "$1")
    .replaceAll(/ +/g, " ")
    .trim();
  return /[\p{L}\p{N}\p{S}]/u.test(shown) ? shown : null;
}

// Also controls of text direction, and letters that show nothing (UAX 44, Default_Ignorable_Code_Point); of spaces the plain one alone.
const invisible = /[\p{C}\p{DI}\p{Zl}\p{Zp}]|(?! )\p{Zs}/u;
const stacked = /\p{M}{4}/u;

/** Whether a name passes for that of a client whose host was verified. */
export function namesHostFirst(name: string): boolean {
  return hostFirst.test(name);
}

/** As client-directory.ts names a client: `app.example · Name`. */
const hostFirst = /^\S+\.\S+\s*[·•∙⋅・‧]/u;

/** Scripts whose letters pass for those of another one. */
const alike = [/\p{sc=Latin}/u, /\p{sc=Greek}/u, /\p{sc=Cyrillic}/u, /\p{sc=Armenian}/u, /\p{sc=Georgian}/u];

/** Phonetic and small capital letters of the Latin script, and scripts of letters like Latin ones that are hardly in use (UAX 31, table 7). */
const unusual =
  /[\u0180-\u02AF\u1D00-\u1DBF\u2C60-\u2C7F\uA720-\uA7FF\uAB30-\uAB6F\p{sc=Cherokee}\p{sc=Lisu}\p{sc=Coptic}\p{sc=Canadian_Aboriginal}\p{sc=Tifinagh}\p{sc=Vai}\p{sc=Deseret}\p{sc=Osage}\p{sc=Gothic}\p{sc=Old_Italic}\p{sc=Lycian}\p{sc=Carian}\p{sc=Lydian}\p{sc=Elbasan}\p{sc=Warang_Citi}\p{sc=Runic}]/u;

function isMixed(name: string): boolean {
  return alike.filter((script) => script.test(name)).length > 1;
}

/** What is left of a name for somebody who reads it in passing: no accents, blanks and punctuation, one letter for those that look alike. */
function skeletonOf(name: string): string {
  const letters = [...name.replace(/[™℠]/gu, "").normalize("NFKD").replace(/\p{M}/gu, "")]
    .map((letter) => capitals.get(letter) ?? enclosed(letter) ?? letter)
    .join("")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");
  const latin = [...letters].map((letter) => lookAlikes.get(letter) ?? letter).join("");
  return latin.replaceAll("rn", "m").replaceAll("vv", "w");
}

/** The name as somebody reads it who takes symbols for letters: `n@m|ng`. */
function readSymbols(name: string): string {
  return [...name].map((letter) => symbols.get(letter) ?? letter).join("");
}

/** Letters in white on black circles and squares, and those of flags, which NFKD leaves as they are; null: none of these. */
function enclosed(letter: string): string | null {
  const code = letter.codePointAt(0) ?? 0;
  const first = [0x1f150, 0x1f170, 0x1f1e6].find((start) => code >= start && code < start + 26);
  return first === undefined ? null : String.fromCharCode(0x61 + code - first);
}

const symbols = byEach({ a: "@", e: "€", i: "!|¡¦", l: "£", s: "$§" });

/** Capitals that look like another letter than their small ones. */
const capitals = byEach({
  a: "ΑА",
  b: "ΒВ",
  e: "ΕЕ",
  h: "ΗН",
  i: "ΙІ",
  j: "ͿЈ",
  k: "ΚК",
  m: "ΜМ",
  n: "Ν",
  o: "ΟО",
  p: "ΡР",
  t: "ΤТ",
  x: "ΧХ",
  y: "ΥУ",
  z: "Ζ",
});

/** Letters of other scripts, and digits, that look like a Latin letter (the common ones of UTS 39). */
const lookAlikes = byEach({
  a: "аαɑ4",
  b: "ьвβ8",
  c: "сϲ",
  d: "ԁđ",
  e: "еєε3",
  g: "ɡ9",
  h: "һħ",
  i: "іιıl1ӏłاו丨ᅵ",
  j: "јϳ",
  k: "кκ",
  m: "м",
  n: "пոռηиŋ",
  o: "оοօø0๐",
  p: "рρ",
  q: "ԛ",
  s: "ѕ5",
  t: "тτŧ7",
  u: "υսμ",
  v: "νѵ",
  w: "ԝωш",
  x: "хχ",
  y: "уγ",
});

/** Each of the characters, and the letter that it is read as. */
function byEach(letters: Readonly<Record<string, string>>): ReadonlyMap<string, string> {
  return new Map(Object.entries(letters).flatMap(([latin, others]) => [...others].map((other) => [other, latin] as const)));
}

function unusable(message: string): Omit<Fault, "pointer"> {
  return { code: "invalid_format", message };
}
