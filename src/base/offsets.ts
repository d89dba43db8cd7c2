// Offsets of a time zone from UTC, by Intl: Temporal's polyfill takes several times as long for each instant.

/** The offset from UTC at an instant, both in milliseconds. */
export type Offsets = (ms: number) => number;

const formats = new Map<string, Intl.DateTimeFormat>();

/** Returns the offsets of a time zone. Throws a RangeError for a zone that Intl does not know. */
export function offsetsOf(timezone: string): Offsets {
  const format = formatFor(timezone);
  return (ms) => readOffset(format.format(ms));
}

/** Formats are cached for each zone, because creating one takes as long as a hundred calls. Upper and lower case of a name are equal. */
function formatFor(timezone: string): Intl.DateTimeFormat {
  const name = timezone.toLowerCase();
  const cached = formats.get(name);
  if (cached) return cached;
  const format = new Intl.DateTimeFormat("en-US", { timeZone: name, timeZoneName: "longOffset" });
  formats.set(name, format);
  return format;
}

/** Reads the offset in `1/2/2026, GMT+05:45`. Offsets before standard time have seconds, `GMT-04:56:02`; UTC is `GMT` alone. */
function readOffset(text: string): number {
  const at = text.lastIndexOf("GMT") + 3;
  if (at === text.length) return 0;
  const two = (from: number) => Number(text.slice(at + from, at + from + 2));
  const seconds = (two(1) * 60 + two(4)) * 60 + (text.length > at + 6 ? two(7) : 0);
  return (text[at] === "-" ? -seconds : seconds) * 1000;
}
