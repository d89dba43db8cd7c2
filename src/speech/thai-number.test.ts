import fc from "fast-check";
import { expect, test } from "vitest";
import { thaiDigits, thaiNumber } from "./speech-text.ts";

test.each([
  ["0", "ศูนย์"],
  ["1", "หนึ่ง"],
  ["2", "สอง"],
  ["10", "สิบ"],
  ["11", "สิบเอ็ด"],
  ["12", "สิบสอง"],
  ["20", "ยี่สิบ"],
  ["21", "ยี่สิบเอ็ด"],
  ["22", "ยี่สิบสอง"],
  ["30", "สามสิบ"],
  ["100", "หนึ่งร้อย"],
  ["101", "หนึ่งร้อยเอ็ด"],
  ["110", "หนึ่งร้อยสิบ"],
  ["111", "หนึ่งร้อยสิบเอ็ด"],
  ["120", "หนึ่งร้อยยี่สิบ"],
  ["1001", "หนึ่งพันเอ็ด"],
  ["2000", "สองพัน"],
  ["10000", "หนึ่งหมื่น"],
  ["123456", "หนึ่งแสนสองหมื่นสามพันสี่ร้อยห้าสิบหก"],
  ["999999", "เก้าแสนเก้าหมื่นเก้าพันเก้าร้อยเก้าสิบเก้า"],
  ["1000000", "หนึ่งล้าน"],
  ["1000001", "หนึ่งล้านเอ็ด"],
  ["11000000", "สิบเอ็ดล้าน"],
  ["21500000", "ยี่สิบเอ็ดล้านห้าแสน"],
  ["1000000000000", "หนึ่งล้านล้าน"],
  ["007", "เจ็ด"],
  ["01", "หนึ่ง"],
])("%s is %s", (decimal, words) => {
  expect(thaiNumber(decimal)).toBe(words);
});

test("digits are said one by one", () => {
  expect(thaiDigits("05")).toBe("ศูนย์ห้า");
  expect(thaiDigits("")).toBe("");
});

test("what is said, read back, is the number", () => {
  fc.assert(
    fc.property(fc.bigInt(1n, 10n ** 15n), (number) => {
      expect(readBack(thaiNumber(String(number)))).toBe(number);
    }),
  );
});

/** Thai numerals read the other way round: ล้าน multiplies whatever stands before it. */
function readBack(words: string): bigint {
  return words.split("ล้าน").reduce((sum, part) => sum * 1_000_000n + BigInt(readGroup(part)), 0n);
}

function readGroup(words: string): number {
  const one = ["", "หนึ่ง", "สอง", "สาม", "สี่", "ห้า", "หก", "เจ็ด", "แปด", "เก้า"];
  const groups = /^(?:(.+?)แสน)?(?:(.+?)หมื่น)?(?:(.+?)พัน)?(?:(.+?)ร้อย)?(?:(.*?)สิบ)?(.*)$/.exec(words) ?? [];
  const values = groups.slice(1).map((word, i) => {
    if (word === undefined) return 0;
    if (i === 4) return word === "" ? 1 : word === "ยี่" ? 2 : one.indexOf(word);
    return word === "เอ็ด" ? 1 : one.indexOf(word);
  });
  expect(values).not.toContain(-1);
  return values.reduce((sum, value) => sum * 10 + value, 0);
}
