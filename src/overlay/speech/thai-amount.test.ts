import fc from "fast-check";
import { expect, test } from "vitest";
import { thaiAmount } from "./thai-amount.ts";

test.each([
  [100, "THB", "หนึ่งร้อยบาท"],
  [50.25, "THB", "ห้าสิบบาทยี่สิบห้าสตางค์"],
  [1, "THB", "หนึ่งบาท"],
  [0.25, "THB", "ยี่สิบห้าสตางค์"],
  [0.01, "THB", "หนึ่งสตางค์"],
  [1.01, "THB", "หนึ่งบาทหนึ่งสตางค์"],
  [20.5, "THB", "ยี่สิบบาทห้าสิบสตางค์"],
  [21.21, "THB", "ยี่สิบเอ็ดบาทยี่สิบเอ็ดสตางค์"],
  [0.1 + 0.2, "THB", "สามสิบสตางค์"],
  [0.005, "THB", "หนึ่งสตางค์"],
  [0.0049, "THB", "ไม่ถึงหนึ่งสตางค์"],
  [5e-324, "THB", "ไม่ถึงหนึ่งสตางค์"],
  [0.995, "THB", "หนึ่งบาท"],
  [99.999, "THB", "หนึ่งร้อยบาท"],
  [999999.99, "THB", "เก้าแสนเก้าหมื่นเก้าพันเก้าร้อยเก้าสิบเก้าบาทเก้าสิบเก้าสตางค์"],
  [999999.999, "THB", "หนึ่งล้านบาท"],
  [1000000, "THB", "หนึ่งล้านบาท"],
  [12, "USD", "สิบสองดอลลาร์สหรัฐ"],
  [12.5, "USD", "สิบสองจุดห้าดอลลาร์สหรัฐ"],
  [12.05, "EUR", "สิบสองจุดศูนย์ห้ายูโร"],
  [0.5, "EUR", "ศูนย์จุดห้ายูโร"],
  [1000, "JPY", "หนึ่งพันเยนญี่ปุ่น"],
  [3, "GBP", "สามปอนด์สเตอร์ลิง"],
  [5e-324, "USD", "ไม่ถึงหนึ่งดอลลาร์สหรัฐ"],
  [7, "ZZZ", "เจ็ดZZZ"],
  [7, "not a code", "เจ็ด"],
])("%d %s is %s", (amount, currency, words) => {
  expect(thaiAmount(amount, currency)).toBe(words);
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
