import { describe, test } from "vitest";

import { holds, holdsForEach } from "../suite/client/holds.ts";
import { donationWith, expectAccepted, expectRefused } from "../suite/models/verdicts.ts";
import { text } from "../suite/values/text.ts";

const withCurrency = (currency: string): string => donationWith({ currency: JSON.stringify(currency) });

const others = [
  ["in small letters", "thb"],
  ["in mixed letters", "Thb"],
  ["with a blank behind it", "THB "],
  ["with a blank before it", " THB"],
  ["with a line break behind it", "THB\n"],
  ["cut short", "TH"],
  ["one letter longer", "THBB"],
  ["empty", ""],
  ["another currency", "USD"],
  ["another currency with the same first letters", "THO"],
  ["its number in ISO 4217", "764"],
  ["its sign", "฿"],
  ["its name in Thai", "บาท"],
  ["in fullwidth letters", "ＴＨＢ"],
  ["in letters that look the same", "ТНВ"],
  ["with a combining mark", "THB\u0301"],
  ["with a zero-width space", "THB\u200b"],
  ["a list of it", "THB,THB"],
  ["the word null", "null"],
] as const;

describe("currency", () => {
  test("currency THB is accepted (interface 2.1)", () => expectAccepted(withCurrency("THB"), "currency"));

  test.each(others)("currency is refused when it is %s: %j (interface 2.1)", (_, currency) =>
    expectRefused(withCurrency(currency), "currency", "allowed"),
  );

  test("currency is refused when it is any text but THB (interface 2.1)", () =>
    holds(text(0, 12), (value) => expectRefused(withCurrency(`${value}.`), "currency", "allowed"), { runs: 60 }));

  test("currency is refused when one letter of THB is changed (interface 2.1)", () =>
    holdsForEach(
      [0, 1, 2].flatMap((at) => ["A", "t", "0", "\u0e3f"].map((letter) => `${"THB".slice(0, at)}${letter}${"THB".slice(at + 1)}`)),
      (currency) => expectRefused(withCurrency(currency), "currency", "allowed"),
    ));
});
