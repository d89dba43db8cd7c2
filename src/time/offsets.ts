// Offsets of a time zone from UTC. Intl is asked directly: Temporal's polyfill takes several times as long for each question.

/** The offset from UTC at an instant, both in milliseconds. */
export type Offsets = (ms: number) => number;

const maxFormats = 500;
const formats = new Map<string, Intl.DateTimeFormat>();

/** Offsets of a zone that Intl knows. Throws a RangeError for any other. */
export function offsetsOf(timezone: string): Offsets {
  const format = formatFor(timezone);
  return (ms) => readOffset(format.format(ms));
}

/** Kept, because making one takes as long as a hundred questions; bounded, because a name may be written in upper and lower case. */
function formatFor(timezone: string): Intl.DateTimeFormat {
  const kept = formats.get(timezone);
  if (kept) return kept;
  const made = new Intl.DateTimeFormat("en-US", { timeZone: timezone, timeZoneName: "longOffset" });
  if (formats.size >= maxFormats) formats.clear();
  formats.set(timezone, made);
  return made;
}

/** From `1/2/2026, GMT+05:45`; offsets before standard time have seconds, `GMT-04:56:02`; UTC is a plain `GMT`. */
function readOffset(text: string): number {
  const at = text.lastIndexOf("GMT") + 3;
  if (at === text.length) return 0;
  const two = (from: number) => Number(text.slice(at + from, at + from + 2));
  const seconds = (two(1) * 60 + two(4)) * 60 + (text.length > at + 6 ? two(7) : 0);
  return (text[at] === "-" ? -seconds : seconds) * 1000;
}
