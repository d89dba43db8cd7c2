// Local days of a time zone, by day numbers (days since 1970-01-01). Arithmetic on numbers with one lookup of the zone's offset for each day,
// which is kept: a report asks for the days of a month or a year. Offsets are those of Intl: Temporal's polyfill takes several times as long
// for each instant, and up to a millisecond for each day.

/** The offset from UTC at an instant, both in milliseconds. */
type Offsets = (ms: number) => number;

/** The lookups in a time zone. */
export type Zone = Readonly<{
  offsetAt: Offsets;
  /** The offset at 00:00 UTC of a day; kept, because both neighbouring days need it. */
  offsetOfDay: (day: number) => number;
}>;

export const msPerDay = 86_400_000;
/** Offsets that a process keeps, about 4 MB. */
const maxKept = 100_000;

const zones = new Map<string, Zone>();
const formats = new Map<string, Intl.DateTimeFormat>();
let kept = 0;

/** Upper and lower case of a name are equal. Throws a RangeError for a zone that Intl does not know. */
export function zoneOf(timezone: string): Zone {
  if (kept > maxKept) {
    zones.clear();
    kept = 0;
  }
  const name = timezone.toLowerCase();
  const known = zones.get(name);
  if (known) return known;
  const zone = openZone(name);
  zones.set(name, zone);
  return zone;
}

/** The names of three letters in the IANA database. */
const abbreviations = "CET EET EST GMT HST MET MST PRC ROC ROK UCT UTC WET".split(" ");

/** Whether this is an IANA name that Intl knows. Intl also takes offsets such as +07:00, and names of ICU alone: IST, CST, SystemV/PST8. */
export function isTimeZoneName(text: string): boolean {
  if (!/^[a-z]/i.test(text) || /^(SystemV\/|US\/Pacific-New$)/i.test(text)) return false;
  if (text.length === 3 && !abbreviations.includes(text.toUpperCase())) return false;
  try {
    zoneOf(text);
    return true;
  } catch {
    return false;
  }
}

function openZone(timezone: string): Zone {
  const offsetAt = offsetsOf(timezone);
  const known = new Map<number, number>();
  const lookUp = (day: number) => {
    const offset = offsetAt(day * msPerDay);
    known.set(day, offset);
    kept += 1;
    return offset;
  };
  return { offsetAt, offsetOfDay: (day) => known.get(day) ?? lookUp(day) };
}

/** The local day of an instant. */
export function dayAt(ms: number, { offsetAt }: Zone): number {
  return Math.floor((ms + offsetAt(ms)) / msPerDay);
}

/**
 * The first instant of a local day; it is not 00:00 where clocks go forward at midnight. No zone is a whole day away from UTC, so that its
 * changes from the day before to the day after are sufficient; and no zone has changed its offset and changed it back within two days.
 */
export function startOfDay(day: number, { offsetAt, offsetOfDay }: Zone): number {
  const [before, after] = [offsetOfDay(day - 1), offsetOfDay(day + 1)];
  const local = day * msPerDay;
  if (before === after || offsetAt(local - before) === before) return local - before;
  return Math.max(local - after, changeBetween(local - msPerDay, local + msPerDay, offsetAt));
}

/** The first instant whose offset differs from that of `from`. */
export function changeBetween(from: number, to: number, offsetAt: Offsets): number {
  const before = offsetAt(from);
  let [same, other] = [from, to];
  while (other - same > 1) {
    const middle = Math.floor((same + other) / 2);
    if (offsetAt(middle) === before) same = middle;
    else other = middle;
  }
  return other;
}

/** Formats outlive the zones that are dropped, because creating one takes as long as a hundred calls. */
function offsetsOf(timezone: string): Offsets {
  const format = formats.get(timezone) ?? new Intl.DateTimeFormat("en-US", { timeZone: timezone, timeZoneName: "longOffset" });
  formats.set(timezone, format);
  return (ms) => readOffset(format.format(ms));
}

/** Reads the offset in `1/2/2026, GMT+05:45`. Offsets before standard time have seconds, `GMT-04:56:02`; UTC is `GMT` alone. */
function readOffset(text: string): number {
  const at = text.lastIndexOf("GMT") + 3;
  if (at === text.length) return 0;
  const two = (from: number) => Number(text.slice(at + from, at + from + 2));
  const seconds = (two(1) * 60 + two(4)) * 60 + (text.length > at + 6 ? two(7) : 0);
  return (text[at] === "-" ? -seconds : seconds) * 1000;
}
