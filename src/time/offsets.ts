// Offsets of a time zone from UTC. Intl is asked directly: Temporal's polyfill takes several times as long for each question.

/** The offset from UTC at an instant, both in milliseconds. */
export type Offsets = (ms: number) => number;

const formats = new Map<string, Intl.DateTimeFormat>();

/** Offsets of a zone that Intl knows. Throws a RangeError for any other. */
export function offsetsOf(timezone: string): Offsets {
  const format = formatFor(timezone);
  return (ms) => readOffset(format.format(ms));
}

/** Kept for each zone there is, because making one takes as long as a hundred questions. A name may be written in any case. */
function formatFor(timezone: string): Intl.DateTimeFormat {
  const name = timezone.toLowerCase();
  const kept = formats.get(name);
  if (kept) return kept;
  const made = new Intl.DateTimeFormat("en-US", { timeZone: name, timeZoneName: "longOffset" });
  formats.set(name, made);
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
