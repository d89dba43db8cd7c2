// The interface's rules as this server reads them. An object of small answers, so that a bug is one of them answered wrongly.

import { lengthsOf, maxAmount } from "../harness/oracle/interface.ts";

export type Rules = {
  /** What the body says; throws where it is no JSON. */
  read: (bytes: Uint8Array) => unknown;
  /** The value that a member is judged by. */
  lookAt: (member: string, value: unknown) => unknown;
  required: string[];
  lengthOf: (text: string) => number;
  /** Fewest and most characters. */
  lengths: Record<string, [fewest: number, most: number]>;
  isAmount: (amount: number) => boolean;
  isCurrency: (currency: string) => boolean;
  /** Groups: year, month, day, hour, minute, second, fraction, offset hour, offset minute. */
  dateTime: RegExp;
  isLeap: (year: number) => boolean;
  monthLength: (month: number, leap: boolean) => number;
  isTime: (hour: number, minute: number, second: number) => boolean;
  isOffset: (hour: number, minute: number) => boolean;
  isYear: (year: number) => boolean;
  /** More that a text must be. */
  isText: (text: string) => boolean;
};

export const rules: Rules = {
  read: (bytes) => JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)),
  lookAt: (_, value) => value,
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

/** Why the donation is refused, in words; none when it is taken. */
export function complaints(donation: unknown, use: Rules): string[] {
  if (typeof donation !== "object" || donation === null || Array.isArray(donation)) return ["a donation is an object"];
  const sent = donation as Record<string, unknown>;
  const missing = use.required.filter((member) => !Object.hasOwn(sent, member)).map((member) => `${member} is missing`);
  const wrong = Object.keys(checks).filter((member) => {
    const check = checks[member];
    return Object.hasOwn(sent, member) && !check?.(use.lookAt(member, sent[member]), use, member);
  });
  return [...missing, ...wrong.map((member) => `${member} is not right`)];
}

type Check = (value: unknown, use: Rules, member: string) => boolean;

const isText: Check = (value, use, member) => {
  if (typeof value !== "string" || !use.isText(value)) return false;
  const [fewest = 0, most = 0] = use.lengths[member] ?? [];
  return use.lengthOf(value) >= fewest && use.lengthOf(value) <= most;
};

const checks: Record<string, Check> = {
  donatorName: isText,
  amount: (value, use) => typeof value === "number" && use.isAmount(value),
  currency: (value, use) => typeof value === "string" && use.isCurrency(value),
  message: isText,
  identifier: isText,
  idempotencyKey: isText,
  skipAlert: (value) => value === true || value === false,
  createdAt: (value, use) => typeof value === "string" && isDateTime(value, use),
};

function isDateTime(text: string, use: Rules): boolean {
  const groups = use.dateTime.exec(text);
  if (!groups) return false;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = groups.slice(1, 7).map((group) => Number(group ?? 0));
  const inCalendar = use.isYear(year) && day >= 1 && day <= use.monthLength(month, use.isLeap(year));
  return inCalendar && use.isTime(hour, minute, second) && use.isOffset(Number(groups[8] ?? 0), Number(groups[9] ?? 0));
}
