// Reads the parameters of a page's address. A value that is none of those allowed is left out, and told to who opens the link.

import type { WidgetSettings } from "./api.ts";

/** What is allowed, in words for the reader of a hint: `1–10`. */
export type ParameterFault = Readonly<{ name: string; allowed: string }>;

export type Parameters = Readonly<{
  /** One of the values; the first one when the parameter is missing or wrong. */
  choice: <const Values extends readonly [string, ...string[]]>(name: string, values: Values) => Values[number];
  /** A whole number. */
  whole: (name: string, bounds: Readonly<{ from: number; to: number; usual: number }>) => number;
  /** A text without blanks around it; null when the parameter is missing, empty or too long. */
  text: (name: string, maxLength: number) => string | null;
  /** A text that passes `isGood`; null when the parameter is missing or wrong. */
  checked: (name: string, isGood: (text: string) => boolean, allowed: string) => string | null;
  /** Whether the parameter is there and not empty. */
  has: (name: string) => boolean;
  /** The wrong parameters that were read so far, each once: as it was read last. */
  faults: () => readonly ParameterFault[];
}>;

/**
 * The query of the address of a widget's page, completed with what the streamer has chosen for the widget of its overlay key. That is left out
 * when it is for a widget of another kind. Where both have a parameter, the address counts.
 */
export function withChosen(address: URLSearchParams, widget: WidgetSettings | null, kind: string): URLSearchParams {
  const completed = new URLSearchParams(address);
  if (widget?.kind !== kind) return completed;
  for (const [name, value] of new URLSearchParams(widget.query)) if ((address.get(name) ?? "").trim() === "") completed.set(name, value);
  return completed;
}

/** Reads a query. An empty parameter is a missing one, because forms send every field. */
export function readParameters(query: URLSearchParams): Parameters {
  const faults = new Map<string, ParameterFault>();
  const wrong = (name: string, allowed: string): null => {
    faults.set(name, { name, allowed });
    return null;
  };
  const typed = (name: string) => (query.get(name) ?? "").trim();
  const checked: Parameters["checked"] = (name, isGood, allowed) => {
    const text = typed(name);
    if (text !== "" && !isGood(text)) return wrong(name, allowed);
    faults.delete(name);
    return text || null;
  };
  return {
    choice: (name, values) => checked(name, (text) => values.includes(text), values.join(", ")) ?? values[0],
    whole: (name, { from, to, usual }) => {
      const isWhole = (text: string) => /^\d+$/.test(text) && Number(text) >= from && Number(text) <= to;
      return Number(checked(name, isWhole, `${from}–${to}`) ?? usual);
    },
    text: (name, maxLength) => checked(name, (text) => [...text].length <= maxLength, `≤ ${maxLength}`),
    checked,
    has: (name) => typed(name) !== "",
    faults: () => [...faults.values()],
  };
}

/**
 * Decodes the key. What can't be decoded, or no header could carry, stays as the address has it, in ASCII: the server refuses it like every
 * wrong key, so that the page says so.
 */
export function readOverlayKey(fragment: string): string {
  try {
    const key = decodeURIComponent(fragment);
    return /^[\x21-\x7e]*$/.test(key) ? key : fragment;
  } catch {
    return fragment;
  }
}
