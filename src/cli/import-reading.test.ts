import { Command } from "@commander-js/extra-typings";
import { expect, test } from "vitest";
import type { FileReading } from "../donations/import/files/reading.ts";
import { noChoices } from "../donations/import/files/table.ts";
import { choicesOf, describeReading, refuseQuestions, toReading, withChoices } from "./import-reading.ts";

const given = (...words: string[]) => {
  const command = withChoices(new Command().exitOverride().configureOutput({ writeErr: () => {} }));
  return choicesOf(command.parse(words, { from: "user" }).opts());
};

const reading: FileReading = {
  ...{ encoding: null, separator: null, sheet: "Tips", date1904: false, headerRow: 3, rowsBefore: 2 },
  sheets: [
    { name: "Tips", isHidden: false },
    { name: "Old", isHidden: true },
  ],
  columns: {
    ...{ titles: ["Who", "Mood", "Tip"], places: { donatorName: 0, amount: 2 }, isOwn: false },
    ...{ timezone: null, dateOrder: null, currency: null },
  },
  ...{
    dateOrder: null,
    areDatesExchanged: false,
    hasForeign: false,
    decimal: "comma",
    zone: { name: "Asia/Bangkok", from: "choice" },
    questions: [],
  },
};

test("each decision about a file to import has an option; without it the file decides", () => {
  expect(given()).toEqual(noChoices);
  const words = "--encoding windows-874 --separator tab --sheet Tips --date-order day-first --decimal comma --with-unpaid".split(" ");
  const chosen = { encoding: "windows-874", separator: "\t", sheet: "Tips", dateOrder: "day-first", decimal: "comma", withUnpaid: true };
  expect(given(...words)).toEqual(chosen);
});

test.each([
  ["encoding", "latin1", "Allowed choices are utf-8, utf-16le, utf-16be, windows-874, windows-1252"],
  ["separator", ",", "Allowed choices are comma, semicolon, tab, bar"],
  ["date-order", "dmy", "Allowed choices are day-first, month-first, year-first"],
  ["decimal", ",", "Allowed choices are comma, point"],
])("a wrong --%s is refused with the words that are allowed", (option, word, error) =>
  expect(() => given(`--${option}`, word)).toThrow(error),
);

test.each([
  ["sheet", '--sheet; there are "Tips", "Old"'],
  ["dateOrder", "--date-order day-first|month-first"],
  ["decimal", "--decimal comma|point"],
] as const)("the open question of %s is refused with the option that answers it", (question, named) => {
  expect(() => refuseQuestions({ ...reading, questions: [question] })).toThrow(named);
  expect(() => refuseQuestions(reading)).not.toThrow();
});

test("a file in which two columns could be the time is refused with the option that names one", () => {
  const columns = { ...reading.columns, titles: ["Who", "Date (payout)", "Tip", "Date (donated)"] };
  expect(() => refuseQuestions({ ...reading, columns })).toThrow('--map "Date (payout)=createdAt"');
  expect(() => refuseQuestions({ ...reading, columns: { ...columns, places: { ...columns.places, createdAt: 3 } } })).not.toThrow();
});

test("how a file is read is said in the words of the options, each with its own", () => {
  expect(describeReading(reading).split("\n")).toEqual([
    "sheet: Tips (--sheet)",
    "header: row 3",
    "columns: Who = donatorName, Tip = amount (--map)",
    "not used: Mood (--map)",
    "times: no column has them, so every donation is dated now (--map)",
    "decimal sign: comma (--decimal)",
    "time zone: Asia/Bangkok (--timezone)",
  ]);
  expect(describeReading({ ...reading, decimal: null, questions: ["sheet", "decimal"] })).toMatch(/sheet: \? .*decimal sign: \? /s);
  expect(toReading({ ...reading, encoding: "utf-8", separator: "\t" })).toMatchObject({
    ...{ encoding: "utf-8", separator: "tab", sheets: ["Tips", "Old"], columns: { Who: "donatorName", Tip: "amount" } },
    ...{ timezone: "Asia/Bangkok", decimal: "comma", dateOrder: null },
  });
});
