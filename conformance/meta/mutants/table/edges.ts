// Faults at the edges of time, rounding, states and queues. Each of them once passed a rule, or was noticed by luck.

import type { Edit, Mutants } from "../mutant.ts";

const inAttempt = (to: string): Edit => ({
  file: "src/donations/record/attempt.ts",
  from: "resolve({ created: false, donation: stored })",
  to,
});
const inCalendar = (from: string, to: string): Edit => ({ file: "src/reports/calendar.ts", from, to });
const inTokenBucket = (from: string, to: string): Edit => ({ file: "src/http/rate-limits/token-bucket.ts", from, to });
const inDecimal = (from: string, to: string): Edit => ({ file: "src/db/decimal.ts", from, to });
const inInstant = (from: string, to: string): Edit => ({ file: "src/base/instant.ts", from, to });
const inOverlay = (file: string, from: string, to: string): Edit => ({ file: `src/alerts/${file}.ts`, from, to });
const rounded = "const hundredths = (magnitude(numerator) + magnitude(denominator)) / (2n * magnitude(denominator));";
const instant = "return { ms: days * msPerDay + minutes * msPerMinute + seconds * 1000 + fraction, offset };";
/** Edits of the number of days of an instant, where `carried` is whether the offset moves it to another day. */
const carriedDay = (days: string): Edit =>
  inInstant(
    instant,
    `const carried = minutes < 0 || minutes >= 1440;\n  return { ms: (${days}) * msPerDay + minutes * msPerMinute + seconds * 1000 + fraction, offset };`,
  );

const states: Mutants = {
  "replay-as-it-was": {
    broken: "a replay answers the alert as it stood when the donation was recorded",
    edit: inAttempt("resolve({ created: false, donation: justStored(stored, stored.receivedAt, stored.sequence) })"),
    killedBy: [["alerts/alert-states", /replay/]],
  },
  "replay-without-shown-at": {
    broken: "a replay does not answer when the alert was shown",
    edit: inAttempt("resolve({ created: false, donation: { ...stored, alert: { ...stored.alert, shownAt: null } } })"),
    killedBy: [["alerts/alert-states", /replay/]],
  },
  "replay-without-reason": {
    broken: "a replay does not answer why the alert was skipped",
    edit: inAttempt("resolve({ created: false, donation: { ...stored, alert: { ...stored.alert, reason: null } } })"),
    killedBy: [["alerts/alert-states", /replay/]],
  },
  "resume-drops-waiting": {
    broken: "resuming drops the alerts that no player has been given yet",
    edit: inOverlay(
      "store/controls",
      "await changeOverlay(trx, overlay, { paused, asking: false });",
      "await changeOverlay(trx, overlay, { paused, asking: false, ...(paused ? {} : { takenSequence: Math.max(overlay.takenSequence, overlay.lastSequence) }) });",
    ),
    killedBy: [["alerts/resume-alerts", /resuming plays the alerts that waited meanwhile/]],
  },
  "filtered-queue-skips": {
    broken: "after fifty alerts that are filtered the next hundred donations get none",
    edit: inOverlay(
      "store/intake",
      "takenSequence: alerts[examined - 1]?.sequence ?? from,",
      "takenSequence: (alerts[examined - 1]?.sequence ?? from) + (skipped.length === batchSize ? 100 : 0),",
    ),
    killedBy: [["alerts/update-alert-settings", /however many alerts are filtered before it/]],
  },
  "settings-at-intake": {
    broken: "an alert that was taken in is shown although the settings have changed since",
    edit: inOverlay(
      "store/play-next",
      "const verdict = verdictOf(next, overlay.settings);",
      'const verdict = verdictOf(next, overlay.settings) && "play";',
    ),
    killedBy: [["alerts/update-alert-settings", /hold for every alert that waits/]],
  },
  "revoked-three-seconds-late": {
    broken: "a revoked key is accepted for three more seconds",
    edit: {
      file: "src/auth/verify-credential.ts",
      from: "expiresAt: row.expires_at?.getTime() ?? Number.POSITIVE_INFINITY,\n    revoked: row.revoked_at !== null,",
      to: "expiresAt: row.expires_at?.getTime() ?? Number.POSITIVE_INFINITY,\n    get revoked() { return row.revoked_at !== null && row.revoked_at.getTime() + 3_000 < Date.now(); },",
    },
    killedBy: [["deployment/revocation", /within a second/]],
  },
  "revocations-read-slowly": {
    broken: "a revocation by another process is obeyed after up to 3.25 seconds",
    edit: { file: "src/auth/revocation-feed.ts", from: "const pollMs = 250;", to: "const pollMs = 3_250;" },
    killedBy: [["deployment/two-processes", /at whatever moment it happens/]],
  },
  "revocations-read-late": {
    broken: "a revocation by another process is obeyed after up to two seconds",
    edit: { file: "src/auth/revocation-feed.ts", from: "const pollMs = 250;", to: "const pollMs = 2_000;" },
    killedBy: [["deployment/two-processes", /at whatever moment it happens/]],
  },
};

const labels: Mutants = {
  "week-of-the-calendar-year": {
    broken: "the label of a week has the calendar year of its Monday",
    edit: inCalendar("return `${yearLabel(year)}-W", "return `${yearLabel(dateOf(monday).getUTCFullYear())}-W"),
    killedBy: [["reports/bucket-labels", /week/]],
  },
  "week-of-its-sunday": {
    broken: "a week belongs to the year of its Sunday",
    edit: inCalendar("const thursday = monday + 3;", "const thursday = monday + 6;"),
    killedBy: [["reports/bucket-labels", /week/]],
  },
  "week-one-digit": {
    broken: "the number of a week below 10 has one digit",
    edit: inCalendar("-W${twoDigits(Math.floor(", "-W${String(Math.floor("),
    killedBy: [["reports/bucket-labels", /week/]],
  },
  "month-of-its-end": {
    broken: "a month begins on its second day",
    edit: inCalendar("first: (day) => day - dateOf(day).getUTCDate() + 1,", "first: (day) => day - dateOf(day).getUTCDate() + 2,"),
    killedBy: [["reports/bucket-labels", /month/]],
  },
  "year-of-365-days": {
    broken: "every year has 365 days",
    edit: inCalendar("next: (day) => daysFromCivil(dateOf(day).getUTCFullYear() + 1, 1, 1),", "next: (day) => day + 365,"),
    killedBy: [["reports/bucket-labels", /year/]],
  },
  "year-unpadded": {
    broken: "a year below 1000 is not written with four digits",
    edit: inCalendar('return String(year).padStart(4, "0");', "return String(year);"),
    killedBy: [["reports/bucket-labels", /year/]],
  },
  "hour-label-in-utc": {
    broken: "the label of an hour has the hour of UTC",
    edit: inCalendar(
      "const hour = Math.floor((local - Math.floor(local / msPerDay) * msPerDay) / msPerHour);",
      "const hour = Math.floor((ms - Math.floor(ms / msPerDay) * msPerDay) / msPerHour);",
    ),
    killedBy: [["reports/bucket-labels", /hour/]],
  },
};

const rounding: Mutants = {
  "retry-rounded-down": {
    broken: "Retry-After is rounded down",
    edit: inTokenBucket("Math.max(1, Math.ceil((tooMuch - slackMs) / 1000))", "Math.max(1, Math.floor((tooMuch - slackMs) / 1000))"),
    killedBy: [["transport/retry-after", /Retry-After/]],
  },
  "retry-rounded": {
    broken: "Retry-After is rounded to the nearest second",
    edit: inTokenBucket("Math.max(1, Math.ceil((tooMuch - slackMs) / 1000))", "Math.max(1, Math.round((tooMuch - slackMs) / 1000))"),
    killedBy: [["transport/retry-after", /Retry-After/]],
  },
  "retry-doubled": {
    broken: "Retry-After is twice as long as necessary",
    edit: inTokenBucket("Math.max(1, Math.ceil((tooMuch - slackMs) / 1000))", "Math.max(1, Math.ceil((2 * (tooMuch - slackMs)) / 1000))"),
    killedBy: [["transport/retry-after", /Retry-After/]],
  },
  "retry-in-milliseconds": {
    broken: "Retry-After is in milliseconds",
    edit: inTokenBucket("Math.max(1, Math.ceil((tooMuch - slackMs) / 1000))", "Math.max(1, Math.ceil(tooMuch - slackMs))"),
    killedBy: [["transport/retry-after", /Retry-After/]],
  },
  "failures-retry-rounded-down": {
    broken: "Retry-After of an address with too many invalid credentials is rounded down",
    edit: inTokenBucket("nextIn: Math.max(1, Math.ceil(oneMoreIn / 1000))", "nextIn: Math.max(1, Math.floor(oneMoreIn / 1000))"),
    killedBy: [["transport/retry-after", /invalid credentials/]],
  },
  "average-half-even": {
    broken: "averages are rounded half to even",
    edit: inDecimal(
      rounded,
      `${rounded.replace("const hundredths", "const halfUp")}\n  const isTie = (magnitude(numerator) + magnitude(denominator)) % (2n * magnitude(denominator)) === 0n;\n  const hundredths = isTie && halfUp % 2n === 1n ? halfUp - 1n : halfUp;`,
    ),
    killedBy: [
      ["reports/rounding", /stats/],
      ["reports/rounding", /breakdown/],
      ["reports/rounding", /top donators/],
      ["reports/rounding", /trend/],
      ["reports/rounding", /change/],
    ],
  },
  "average-half-down": {
    broken: "averages are rounded half towards zero",
    edit: inDecimal("(magnitude(numerator) + magnitude(denominator))", "(magnitude(numerator) + magnitude(denominator) - 1n)"),
    killedBy: [["reports/rounding", /stats/]],
  },
  "average-of-floats": {
    broken: "averages are rounded as floating-point numbers",
    edit: inDecimal(
      "return toNumber({ units: sign * hundredths, scale: 2 });",
      'return sign === 0n ? Number(hundredths) : Math.round(toNumber({ ...a, scale: a.scale }) / (typeof b === "number" ? b : toNumber(b)) * 100) / 100;',
    ),
    killedBy: [["reports/rounding", /stats/]],
  },
  "fall-half-up": {
    broken: "a fall is rounded half towards zero, a growth half away from it",
    edit: inDecimal(rounded, rounded.replace(" + magnitude(denominator))", " + magnitude(denominator) - (sign < 0n ? 1n : 0n))")),
    killedBy: [["reports/rounding", /change/]],
  },
};

const days: Mutants = {
  "leap-century-carried-on": {
    broken: "29 February of a leap century that its offset moves to another day is a day late",
    edit: carriedDay('carried && text.slice(2, 10) === "00-02-29" ? days + 1 : days'),
    killedBy: [["donations/created-at", /moves across midnight/]],
  },
  "leap-century-carried-to": {
    broken: "an offset never moves an instant to 29 February of a leap century",
    edit: carriedDay(
      'text.slice(2, 10) === "00-02-28" && minutes >= 1440 ? days + 1 : text.slice(2, 10) === "00-03-01" && minutes < 0 ? days - 1 : days',
    ),
    killedBy: [["donations/created-at", /moves across midnight/]],
  },
  "new-year-carried": {
    broken: "an offset that moves an instant to another year moves it a day too far",
    edit: carriedDay('carried && text.slice(5, 10) === "12-31" && minutes >= 1440 ? days + 1 : days'),
    killedBy: [["donations/created-at", /moves across midnight/]],
  },
  "fraction-before-1970": {
    broken: "the fraction of a second before 1970 is subtracted",
    edit: inInstant(instant, instant.replace("+ fraction", "+ (days < 0 ? -fraction : fraction)")),
    killedBy: [["donations/created-at", /every date-time of interface 2.2/]],
  },
};

export const edges: Mutants = { ...states, ...labels, ...rounding, ...days };
