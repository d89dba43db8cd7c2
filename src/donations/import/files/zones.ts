// Reads time zones as people write them beside a time, in a column or in its title. Pure.

import { isTimeZoneName, msPerDay, zoneOf } from "../../../base/local-days.ts";
import { plainText } from "./table.ts";

/** The instant of a local time, both in milliseconds; the first of two. A time that clocks leave out is so much later, as in Temporal. */
export type LocalClock = (local: number) => number;

const msPerHour = 3_600_000;
const maxOffset = 14 * msPerHour;

/**
 * Offsets in hours. Of abbreviations with several meanings those of RFC 5322 (EST to PDT) and of PayPal's files (BST, CET) are meant; IST, which
 * is India, Israel and Ireland, is not known.
 */
const abbreviations: ReadonlyMap<string, number> = new Map(
  Object.entries({
    ...{ z: 0, utc: 0, gmt: 0, ut: 0, wet: 0, west: 1, bst: 1, cet: 1, cest: 2, eet: 2, eest: 3, msk: 3, мск: 3 },
    ...{ est: -5, edt: -4, cst: -6, cdt: -5, mst: -7, mdt: -6, pst: -8, pdt: -7, akst: -9, akdt: -8, hst: -10 },
    ...{ ict: 7, wib: 7, wita: 8, wit: 9, sgt: 8, myt: 8, hkt: 8, pht: 8, awst: 8, jst: 9, kst: 9, aest: 10, aedt: 11, nzst: 12, nzdt: 13 },
  }),
);

/** Words for zones, and the names that Windows has for them. */
const namedZones: readonly (readonly [RegExp, string])[] = [
  [/^(?:เวลา)?(?:ประเทศ)?ไทย$|^(?:เวลา)?กรุงเทพ(?:ฯ|มหานคร)?$|^thai(?:land)?$|^se asia(?: standard)?$|^indochina$/, "Asia/Bangkok"],
  [/^(?:us )?eastern$|^et$/, "America/New_York"],
  [/^(?:us )?central$|^ct$/, "America/Chicago"],
  [/^(?:us )?mountain$|^mt$/, "America/Denver"],
  [/^(?:us )?pacific$|^pt$/, "America/Los_Angeles"],
];
/** `tokyo` → `Asia/Tokyo` */
const cities = new Map(
  Intl.supportedValuesOf("timeZone").map((name) => [name.split("/").at(-1)?.replaceAll("_", " ").toLowerCase() ?? "", name]),
);

/** `UTC+2`, `+07:00`, `(GMT-8)`, `EST`, `Asia/Bangkok`; null for one that is not known. */
export function readZone(typed: string): LocalClock | null {
  const text = plainText(typed)
    .replace(/^[([（](.*)[)\]）]$/, "$1")
    .trim();
  const hours = abbreviations.get(text);
  const offset = hours === undefined ? readOffset(text) : hours * msPerHour;
  if (offset !== null) return (local) => local - offset;
  const place = text.replace(/ ?\btime$/, "");
  const name = namedZones.find(([pattern]) => pattern.test(place))?.[1] ?? cities.get(place) ?? text.replaceAll(" ", "_");
  return name.length <= 64 && isTimeZoneName(name) ? clockOf(name) : null;
}

/** The instant in a zone of the IANA database. */
export function clockOf(timezone: string): LocalClock {
  const { offsetAt } = zoneOf(timezone);
  return (local) => {
    // The offset before a change belongs to the first of two equal local times.
    const before = local - offsetAt(local - msPerDay);
    const after = local - offsetAt(before);
    return before + offsetAt(before) !== local && after + offsetAt(after) === local ? after : before;
  };
}

/** `+7`, `utc+07:00`, `(gmt-08:00) pacific time`, in milliseconds. */
function readOffset(text: string): number | null {
  const [, prefix = "", sign, hours, minutes = "0", more = ""] =
    /^\(?(utc|gmt|ut)? ?([-+])(\d{1,2})(?::?(00|15|30|45))?\)?( .*)?$/.exec(text) ?? [];
  if (sign === undefined || (more !== "" && prefix === "")) return null;
  const offset = (Number(hours) + Number(minutes) / 60) * msPerHour;
  return offset <= maxOffset ? offset * (sign === "-" ? -1 : 1) : null;
}
