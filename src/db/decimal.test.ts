import * as fc from "fast-check";
import { expect, test } from "vitest";
import { compare, decimal, half, percentages, plus, ratio, toNumber, zero } from "./decimal.ts";

test.each([
  ["0.1", "0.2", 0.3],
  ["1000000", "0.000001", 1000000.000001],
  ["-5", "5.0", 0],
])("the sum of %s and %s is exactly %d", (a, b, sum) => expect(toNumber(plus(decimal(a), decimal(b)))).toBe(sum));

test.each([
  ["0.05", 2, 0.03],
  ["-0.05", 2, -0.03],
  ["0.01", 3, 0],
  ["2", 3, 0.67],
  ["1", 0, null],
])("the quotient of %s and %d is %d, rounded half away from zero", (a, b, quotient) => expect(ratio(decimal(a), b)).toBe(quotient));

test("half of a decimal with an odd last digit is exact", () => expect(toNumber(half(decimal("0.25")))).toBe(0.125));

test("decimals compare by value", () =>
  expect([compare(decimal("1.0"), decimal("1")), compare(decimal("0.9"), decimal("1"))]).toEqual([0, -1]));

test("percentages add up to 100, and each is less than a hundredth away from the exact one", () => {
  const parts = fc.array(fc.integer({ min: 0, max: 1_000_000 }), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(parts, (satang) => {
      const total = satang.reduce((sum, one) => sum + one, 0);
      const shares = percentages(satang.map((one) => ({ units: BigInt(one), scale: 2 })));
      const hundredths = shares.map((share) => Math.round(share * 100));
      expect(hundredths.reduce((sum, one) => sum + one, 0)).toBe(total === 0 ? 0 : 10_000);
      for (const [index, one] of satang.entries())
        if (total > 0) expect(Math.abs(hundredths[index]! - (one * 10_000) / total)).toBeLessThan(1);
    }),
  );
});

test("percentages with equal remainders: the first one is rounded up", () =>
  expect(percentages([decimal("1"), decimal("1"), decimal("1"), zero])).toEqual([33.34, 33.33, 33.33, 0]));
