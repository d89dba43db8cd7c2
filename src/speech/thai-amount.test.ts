import fc from "fast-check";
import { expect, test } from "vitest";
import { thaiAmount } from "./speech-text.ts";

test.each([
  [100, "หนึ่งร้อยบาท"],
  [50.25, "ห้าสิบบาทยี่สิบห้าสตางค์"],
  [1, "หนึ่งบาท"],
  [0.25, "ยี่สิบห้าสตางค์"],
  [0.01, "หนึ่งสตางค์"],
  [1.01, "หนึ่งบาทหนึ่งสตางค์"],
  [20.5, "ยี่สิบบาทห้าสิบสตางค์"],
  [21.21, "ยี่สิบเอ็ดบาทยี่สิบเอ็ดสตางค์"],
  [0.1 + 0.2, "สามสิบสตางค์"],
  [0.005, "หนึ่งสตางค์"],
  [0.0049, "ไม่ถึงหนึ่งสตางค์"],
  [5e-324, "ไม่ถึงหนึ่งสตางค์"],
  [0.995, "หนึ่งบาท"],
  [99.999, "หนึ่งร้อยบาท"],
  [999999.99, "เก้าแสนเก้าหมื่นเก้าพันเก้าร้อยเก้าสิบเก้าบาทเก้าสิบเก้าสตางค์"],
  [999999.999, "หนึ่งล้านบาท"],
  [1000000, "หนึ่งล้านบาท"],
])("%d baht are %s", (amount, words) => {
  expect(thaiAmount(amount, "THB")).toBe(words);
});

test("every amount that can be donated is said in Thai words, in a bounded length", () => {
  const amounts = fc.double({ min: 5e-324, max: 1_000_000, noNaN: true });
  fc.assert(
    fc.property(amounts, (amount) => {
      const words = thaiAmount(amount, "THB");
      expect(words).toMatch(/^[ก-๎]+(บาท|สตางค์)$/);
      expect(words.length).toBeLessThan(120);
    }),
  );
});
