// How a file is read that the command line imports: its options, what a dry run says, and the questions that only the person can answer.

import { type Command, Option, type OptionValues } from "@commander-js/extra-typings";
import { type FileMember, fileMembers, guessColumns } from "../donations/import/files/columns.ts";
import type { FileReading } from "../donations/import/files/reading.ts";
import { dateOrders, encodings, type FileChoices, type Separator } from "../donations/import/files/table.ts";

/** A shell takes most of the characters for itself. */
const separatorWords = { comma: ",", semicolon: ";", tab: "\t", bar: "|" } as const satisfies Record<string, Separator>;
const decimals = ["comma", "point"] as const;

/** The options of `FileChoices`; where one is left out, the file decides. */
export const withChoices = <Args extends unknown[], Options extends OptionValues>(command: Command<Args, Options>) =>
  command
    .addOption(new Option("--encoding <name>").choices(encodings))
    .addOption(new Option("--separator <word>").choices(Object.keys(separatorWords) as (keyof typeof separatorWords)[]))
    .option("--sheet <name>", "the sheet of a workbook")
    .addOption(new Option("--date-order <order>").choices(dateOrders))
    .addOption(new Option("--decimal <sign>").choices(decimals))
    .option("--with-unpaid", "also records rows whose status says that they were not paid");

type ChosenOptions = ReturnType<ReturnType<typeof withChoices<[], Record<never, never>>>["opts"]>;

export function choicesOf({ encoding, separator, sheet, dateOrder, decimal, withUnpaid }: ChosenOptions): FileChoices {
  return {
    encoding: encoding ?? null,
    separator: separator ? separatorWords[separator] : null,
    sheet: sheet ?? null,
    dateOrder: dateOrder ?? null,
    decimal: decimal ?? null,
    withUnpaid: withUnpaid ?? false,
  };
}

/** Throws an Error that names the option which answers the question. */
export function refuseQuestions({ questions: [question], sheets, columns: { places, titles } }: FileReading): void {
  if (question === "sheet")
    throw new Error(`several sheets could be meant: name one with --sheet; there are ${sheets.map(({ name }) => `"${name}"`).join(", ")}`);
  if (question === "dateOrder")
    throw new Error(`the dates can begin with the day, the month or the year: say which with --date-order ${dateOrders.join("|")}`);
  if (question === "decimal")
    throw new Error(`a comma or a point in the amounts can separate thousands or decimals: say which with --decimal ${decimals.join("|")}`);
  const time = guessColumns(titles).places.createdAt;
  if (time !== undefined && places.createdAt === undefined && !Object.values(places).includes(time))
    throw new Error(`several columns could be the time: name one with --map "${titles[time]}=createdAt"`);
}

/** The reading in the words of the options. */
export function toReading({ encoding, separator, sheets, sheet, headerRow, dateOrder, decimal, zone, columns }: FileReading) {
  return {
    encoding,
    separator: separator && separatorWord(separator),
    sheet,
    sheets: sheets.map(({ name }) => name),
    headerRow,
    columns: Object.fromEntries(mapped(columns)),
    dateOrder,
    decimal,
    timezone: zone.name,
  };
}

/** Says how the file is read, a line for each thing, with the option that changes it. */
export function describeReading(reading: FileReading): string {
  const { encoding, separator, sheets, sheet, headerRow, columns, dateOrder, decimal, zone, questions } = reading;
  const asked = (question: FileReading["questions"][number]) => (questions.includes(question) ? "?" : null);
  const lines: [name: string, value: string | null, option: string][] = [
    ["encoding", encoding, "--encoding"],
    ["separator", separator && separatorWord(separator), "--separator"],
    ["sheet", asked("sheet") ?? (sheets.length > 1 ? sheet : null), "--sheet"],
    ["header", `row ${headerRow}`, ""],
    [
      "columns",
      mapped(columns)
        .map(([title, member]) => `${title} = ${member}`)
        .join(", ") || "none is known",
      "--map",
    ],
    ["not used", unused(columns).join(", ") || null, "--map"],
    ["times", columns.places.createdAt === undefined ? "no column has them, so every donation is dated now" : null, "--map"],
    ["order of dates", asked("dateOrder") ?? dateOrder, "--date-order"],
    ["decimal sign", asked("decimal") ?? decimal, "--decimal"],
    ["time zone", zone.from === "column" ? `in the column ${zone.name}` : zone.name, zone.from === "choice" ? "--timezone" : ""],
  ];
  return lines.flatMap(([name, value, option]) => (value === null ? [] : [`${name}: ${value}${option && ` (${option})`}`])).join("\n");
}

function separatorWord(separator: Separator): string {
  return Object.entries(separatorWords).find(([, sign]) => sign === separator)?.[0] ?? separator;
}

function unused({ titles, places }: FileReading["columns"]): string[] {
  const used = new Set(Object.values(places));
  return titles.filter((title, place) => title !== "" && !used.has(place));
}

/** Titles with their members, in the order of the columns. */
function mapped({ titles, places }: FileReading["columns"]): [title: string, member: FileMember][] {
  return titles.flatMap((title, place): [string, FileMember][] => {
    const member = fileMembers.find((one) => places[one] === place);
    return member ? [[title, member]] : [];
  });
}
