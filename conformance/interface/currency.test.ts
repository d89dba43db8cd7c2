import { describe, test } from "vitest";

import { holds, holdsForEach } from "../harness/generators/holds.ts";
import { text } from "../harness/generators/text.ts";
import { donationWith, refuses, takes } from "../harness/oracle/verdicts.ts";

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
  test("THB is accepted (interface 2.1)", () => takes(withCurrency("THB"), "currency"));

  test.each(others)("%s is refused: %j (interface 2.1)", (_, currency) => refuses(withCurrency(currency), "currency", "allowed"));

  test("any other text is refused (interface 2.1)", () =>
    holds(text(0, 12), (value) => refuses(withCurrency(`${value}.`), "currency", "allowed"), { runs: 60 }));

  test("one letter changed is refused (interface 2.1)", () =>
    holdsForEach(
      [0, 1, 2].flatMap((at) => ["A", "t", "0", "\u0e3f"].map((letter) => `${"THB".slice(0, at)}${letter}${"THB".slice(at + 1)}`)),
      (currency) => refuses(withCurrency(currency), "currency", "allowed"),
    ));
});
