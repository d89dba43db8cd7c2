import { describe, test } from "vitest";
import { holds } from "../suite/client/holds.ts";
import { createdAt, expectRefused } from "../suite/models/verdicts.ts";
import { type Parts, parts, written } from "../suite/values/date-times.ts";

const separators: [what: string, separator: string][] = [
  ["a small t", "t"],
  ["a blank", " "],
  ["two blanks", "  "],
  ["nothing", ""],
  ["an underscore", "_"],
  ["a tab", "\t"],
  ["a line break", "\n"],
  ["a hyphen", "-"],
  ["a colon", ":"],
  ["a plus, the blank of a URL", "+"],
  ["a comma and a blank", ", "],
  ["two of it", "TT"],
  ["T behind a blank", " T"],
  ["T before a blank", "T "],
  ["a Greek tau", "\u03a4"],
  ["a Cyrillic te", "\u0422"],
  ["a fullwidth T", "\uff34"],
  ["T with a combining mark", "T\u0301"],
  ["the word at", "at"],
];

const separated = (one: Parts, separator: string): string => written(one).replace("T", separator);

describe("createdAt, separator", () => {
  test.each(separators)("a createdAt with %s in the place of the letter T is refused (interface 2.2.3)", (_, separator) =>
    holds(parts, (one) => expectRefused(createdAt(separated(one, separator)), "createdAt", "separator"), { runs: 16 }),
  );
});
