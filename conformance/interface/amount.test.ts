import fc from "fast-check";
import { describe, test } from "vitest";
import { holds, holdsForEach } from "../suite/client/holds.ts";
import { maxAmount } from "../suite/contract/interface.ts";
import { donationWith, expectAccepted, expectRefused } from "../suite/models/verdicts.ts";
import { amounts, nextDown, nextUp, tiniest, wrongAmounts } from "../suite/values/donations.ts";
import { expectEdges } from "../suite/values/score.ts";

const of = (amount: string | number): string => donationWith({ amount: String(amount) });

describe("amount", () => {
  test("amount 0 is refused, the next double above it accepted (interface 2.1)", async () => {
    await expectRefused(of(0), "amount", "least");
    await expectRefused(of(-tiniest), "amount", "least");
    await expectAccepted(of(tiniest), "amount");
    expectEdges(["amount -5e-324", "amount 0", "amount 5e-324"]);
  });

  test(`amount ${maxAmount} is accepted, the next double above it refused (interface 2.1)`, async () => {
    await expectAccepted(of(nextDown(maxAmount)), "amount");
    await expectAccepted(of(maxAmount), "amount");
    await expectRefused(of(nextUp(maxAmount)), "amount", "most");
    expectEdges([nextDown(maxAmount), maxAmount, nextUp(maxAmount)].map((amount) => `amount ${amount}`));
  });

  test(`amount above 0 and at most ${maxAmount} is accepted (interface 2.1)`, () =>
    holds(amounts, (amount) => expectAccepted(of(amount), "amount"), { runs: 200 }));

  test("amount of 0 or less is refused (interface 2.1)", () =>
    holds(
      wrongAmounts.map((amount) => -Math.abs(amount)),
      (amount) => expectRefused(of(amount), "amount", "least"),
      { runs: 100 },
    ));

  test(`amount above ${maxAmount} is refused (interface 2.1)`, () =>
    holds(
      fc.double({ min: maxAmount, minExcluded: true, noNaN: true, noDefaultInfinity: true }),
      (amount) => expectRefused(of(amount), "amount", "most"),
      {
        runs: 100,
      },
    ));

  test.each(["-0", "-0.0", "0.0", "0.00000", "0e0", "0e10", "0E-400", "-0e400"])(
    "amount 0 is refused however it is written: %s (interface 2.1)",
    (text) => expectRefused(of(text), "amount", "least"),
  );

  test.each(["1e6", "1E6", "1e+6", "1.0e06", "0.1E+7", "1000000.0", "1000000.000000000000", "10000000e-1", "1000000e-0", "0.000001e12"])(
    `amount ${maxAmount} is accepted however it is written: %s (interface 2.1)`,
    (text) => expectAccepted(of(text), "amount"),
  );

  test("amounts that are powers of ten are accepted exactly within the bounds (interface 2.1)", () =>
    holdsForEach(
      Array.from({ length: 630 }, (_, index) => index - 322).filter((power) => Math.abs(power) < 12 || power % 20 === 0 || power === 307),
      (power) => (power > 6 ? expectRefused(of(`1e${power}`), "amount", "most") : expectAccepted(of(`1e${power}`), "amount")),
    ));

  test.each([
    ["1e309", "1e309"],
    ["1e99999", "1e99999"],
    ["four hundred digits", "9".repeat(400)],
    ["five thousand digits", "9".repeat(5_000)],
  ])("an amount too large for a double is refused: %s (interface 2.1)", (_, text) => expectRefused(of(text), "amount", "most"));

  test.each([
    ...["-1e309", "-1000000", "-1000000.0000000001", "-0.01", "-1"].map((text) => [text, text]),
    ["five thousand digits", `-${"9".repeat(5_000)}`],
  ])("a negative number is refused: %s (interface 2.1)", (_, text = "") => expectRefused(of(text), "amount", "least"));

  test.each([
    "0.001",
    "19.999",
    "0.1234567890123456789",
    "0.30000000000000004",
    "100.000000000000000000000000000000",
    "12.3456789012345678901",
  ])("an amount with any number of decimals is accepted: %s (interface 2.1)", (text) => expectAccepted(of(text), "amount"));

  test.each(["1000000.01", "1000000.001", "1000001", "1e7", "2147483648", "4294967297", "9007199254740993", "18446744073709551617"])(
    "an amount that is valid only after rounding or overflow is refused: %s (interface 2.1)",
    (text) => expectRefused(of(text), "amount", "most"),
  );
});
