// Reads amounts as people write them: `฿1,234.50`, `1.234,56 บาท`, `๕๐`, `100.-`. Only baht are amounts: another currency is told by its name. Pure.

import { type Cell, plainText } from "./table.ts";

export type DecimalSign = "point" | "comma";

/** The number under each decimal sign, null where the writing has none under it. `currency`: one other than baht that stands beside it. */
export type WrittenAmount = Readonly<{ point: number | null; comma: number | null; currency: string | null }>;

const maxLetters = 60;

/** Letters with a point behind them are an abbreviation, `THB.100`; a point behind a sign belongs to the number, `฿.50`. */
const parts =
  /^([-+]?) ?((?:\p{L}[\p{L}\p{M}]*\.?)? ?\p{Sc}?) ?([-+]?) ?(\.?\d[\d.,' ]*?(?:e[-+]?\d+)?)([.,]-)? ?([\p{L}\p{M}\p{Sc}. ]*)$/u;

/** Null for a text that is no amount. */
export function readAmount(typed: string): WrittenAmount | null {
  if (typed.length > maxLetters) return null;
  const [, sign = "", before = "", inner = "", digits, dash, after = ""] = parts.exec(plainText(typed).replaceAll("’", "'")) ?? [];
  if (digits === undefined || (sign !== "" && inner !== "")) return null;
  const currencies = [before, after].map(currencyIn);
  if (currencies.includes(null)) return null;
  const isNegative = sign === "-" || inner === "-";
  return {
    point: dash === ",-" ? null : numberIn(digits, "point", isNegative),
    comma: dash === ".-" ? null : numberIn(digits, "comma", isNegative),
    currency: currencies.find((currency) => currency !== "") ?? null,
  };
}

/** Digits alone, or in groups of three after a first one that is not 0; or in groups of India, `12,34,567`. */
const numbers: Readonly<Record<DecimalSign, RegExp>> = {
  point: /^(?:\d+|[1-9]\d{0,2}([,' ])\d{3}(?:\1\d{3})*|[1-9]\d?(?:,\d\d)+,\d{3})?(?:\.\d*)?(?:e[-+]?\d+)?$/,
  comma: /^(?:\d+|[1-9]\d{0,2}([.' ])\d{3}(?:\1\d{3})*)?(?:,\d*)?(?:e[-+]?\d+)?$/,
};

function numberIn(digits: string, sign: DecimalSign, isNegative: boolean): number | null {
  if (!numbers[sign].test(digits)) return null;
  const plain = sign === "point" ? digits.replace(/[,' ]/g, "") : digits.replace(/[.' ]/g, "").replace(",", ".");
  const number = Number(plain) * (isNegative ? -1 : 1);
  return Number.isFinite(number) ? number : null; // 1E400 stays as it is written
}

const baht = new Set(["฿", "thb", "baht", "บาท", "บ", "บาทถ้วน", "thb฿"]);

/** Words beside an amount: "" for baht and for nothing, the name of another currency, null for anything else. */
function currencyIn(words: string): string | null {
  const text = words.replace(/[. ]/g, "");
  if (text === "" || baht.has(text)) return "";
  return isCurrency(words.trim()) ? words.trim().toUpperCase() : null;
}

const currencyCodes = new Set(Intl.supportedValuesOf("currency").map((code) => code.toLowerCase()));
/** Codes in lower case that are no words of a language; the others are codes in upper case only. */
const plainCodes = /^(?:usd|eur|gbp|jpy|rub|cny|krw|sgd|myr|aud|cad|inr|twd|hkd|vnd|idr|php|lak|mmk|khr|brl|chf|nzd|usdt|usdc|btc|eth)$/;
const currencyWords =
  /^(?:satang|สตางค์|cents?|dollars?|euros?|yen|pounds?|roubles?|rubles?|rupees?|won|yuan|ringgit|rs|kr|zł|ft|kč|руб(?:л(?:ь|я|ей))?|р|円|元|원|ดอลลาร์(?:สหรัฐ)?|เหรียญ(?:สหรัฐ)?|ยูโร|เยน|ปอนด์|หยวน|วอน|รูเบิล|ริงกิต|กีบ|จ๊าด)$/;

function isCurrency(words: string): boolean {
  const text = words.replace(/[. ]/g, "").toLowerCase();
  return /\p{Sc}/u.test(text) || currencyCodes.has(text) || plainCodes.test(text) || currencyWords.test(text);
}

/** A cell of a column of currencies; false for an empty one. */
export function isForeign(cell: Cell | undefined): boolean {
  return cell !== undefined && !/^(?:฿|thb|baht|บาท|thai baht)$/.test(plainText(String(cell)));
}

/** The title of a column of amounts without its currency; `currency`: "" for baht, null where the title names none. */
export function splitCurrency(title: string): Readonly<{ name: string; currency: string | null }> {
  const spaced = title.replace(/([a-z])(?=[A-Z]{3}$)/, "$1 ");
  const found = spaced.split(/[\s_\-,:/()[\]（）]+/u).find((word) => isBaht(word) || isTitleCurrency(word));
  if (found === undefined) return { name: title, currency: null };
  return { name: spaced.replace(found, "").replace(/ in *$/i, ""), currency: isBaht(found) ? "" : found };
}

const isBaht = (word: string) => baht.has(word.toLowerCase().replaceAll(".", ""));

/** `Amount (USD)`, `Amount [€]`, `amount_usd`; in brackets also codes that no bank knows, `Amount (COINS)`. */
function isTitleCurrency(word: string): boolean {
  const isCode = /^[A-Z]{3}$/.test(word) && currencyCodes.has(word.toLowerCase());
  return isCode || /\p{Sc}/u.test(word) || plainCodes.test(word.toLowerCase()) || currencyWords.test(word.toLowerCase());
}

/** A currency other than baht in a number format of a workbook, `"$"#,##0.00` or `[$€-2] #,##0`; null where it has none. */
export function formatCurrency(format: string): string | null {
  const bracketed = Array.from(format.matchAll(/\[\$([^\]-]*)(?:-[^\]]*)?\]/g), ([, sign = ""]) => sign);
  const plain = format.replace(/("[^"]*")|\[[^\]]*\]|[_*]./g, "$1"); // `_€` is room of the width of €
  const quoted = Array.from(plain.matchAll(/"([^"]*)"/g), ([, text = ""]) => text);
  const signs = plain.replace(/"[^"]*"/g, "").match(/\p{Sc}/gu) ?? [];
  return (
    [...bracketed, ...quoted, ...signs].map((text) => text.trim()).find((text) => text !== "" && !isBaht(text) && isCurrency(text)) ?? null
  );
}
