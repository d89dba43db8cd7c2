// The second server's own implementation of the interface's rules. Each rule is one function or value, so that a bug replaces one.

import { lengthsOf, maxAmount } from "../../suite/contract/interface.ts";

export type Rules = {
  /** Parses the body; throws when it is not JSON. */
  read: (bytes: Uint8Array) => unknown;
  /** Returns the value that is checked instead of the member's value. */
  valueToCheck: (member: string, value: unknown) => unknown;
  required: string[];
  lengthOf: (text: string) => number;
  /** Minimum and maximum length in characters. */
  lengths: Record<string, [min: number, max: number]>;
  isAmount: (amount: number) => boolean;
  isCurrency: (currency: string) => boolean;
  /** Groups: year, month, day, hour, minute, second, fraction, offset hour, offset minute. */
  dateTime: RegExp;
  isLeap: (year: number) => boolean;
  monthLength: (month: number, leap: boolean) => number;
  isTime: (hour: number, minute: number, second: number) => boolean;
  isOffset: (hour: number, minute: number) => boolean;
  isYear: (year: number) => boolean;
  /** An additional condition for texts. */
  isText: (text: string) => boolean;
};

export const rules: Rules = {
  read: (bytes) => JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)),
  valueToCheck: (_, value) => value,
  required: ["donatorName", "amount"],
  lengthOf: (text) => Array.from(text).length,
  lengths: Object.fromEntries(
    ["donatorName", "message", "identifier", "idempotencyKey"].map((member) => [member, [lengthsOf(member).min, lengthsOf(member).max]]),
  ),
  isAmount: (amount) => amount > 0 && amount <= maxAmount,
  isCurrency: (currency) => currency === "THB",
  dateTime: /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(\.\d+)?)?(?:Z|[+-](\d\d):(\d\d))$/,
  isLeap: (year) => new Date(Date.UTC(2000 + (year % 400), 1, 29)).getUTCMonth() === 1,
  monthLength: (month, leap) => (month === 2 ? (leap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : month >= 1 && month <= 12 ? 31 : 0),
  isTime: (hour, minute, second) => hour < 24 && minute < 60 && second < 60,
  isOffset: (hour, minute) => hour < 24 && minute < 60,
  isYear: () => true,
  isText: () => true,
};

/** Returns why the donation is invalid, in words; nothing when it is valid. */
export function findFaults(donation: unknown, rules: Rules): string[] {
  if (typeof donation !== "object" || donation === null || Array.isArray(donation)) return ["a donation is an object"];
  const sent = donation as Record<string, unknown>;
  const missing = rules.required.filter((member) => !Object.hasOwn(sent, member)).map((member) => `${member} is missing`);
  const wrong = Object.keys(checks).filter((member) => {
    const check = checks[member];
    return Object.hasOwn(sent, member) && !check?.(rules.valueToCheck(member, sent[member]), rules, member);
  });
  return [...missing, ...wrong.map((member) => `${member} is not right`)];
}

type Check = (value: unknown, rules: Rules, member: string) => boolean;

const isText: Check = (value, rules, member) => {
  if (typeof value !== "string" || !rules.isText(value)) return false;
  const [min = 0, max = 0] = rules.lengths[member] ?? [];
  return rules.lengthOf(value) >= min && rules.lengthOf(value) <= max;
};

const checks: Record<string, Check> = {
  donatorName: isText,
  amount: (value, rules) => typeof value === "number" && rules.isAmount(value),
  currency: (value, rules) => typeof value === "string" && rules.isCurrency(value),
  message: isText,
  identifier: isText,
  idempotencyKey: isText,
  skipAlert: (value) => value === true || value === false,
  createdAt: (value, rules) => typeof value === "string" && isDateTime(value, rules),
};

function isDateTime(text: string, rules: Rules): boolean {
  const groups = rules.dateTime.exec(text);
  if (!groups) return false;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = groups.slice(1, 7).map((group) => Number(group ?? 0));
  const inCalendar = rules.isYear(year) && day >= 1 && day <= rules.monthLength(month, rules.isLeap(year));
  return inCalendar && rules.isTime(hour, minute, second) && rules.isOffset(Number(groups[8] ?? 0), Number(groups[9] ?? 0));
}
