import fc from "fast-check";
import { expect, test } from "vitest";
import { noChoices } from "./table.ts";
import { donationsIn, readingOf, table } from "./testing.ts";

/** The amounts of a column, or the fault of each. */
async function amountsOf(cells: readonly (string | number)[], { title = "amount", decimal = null as "point" | "comma" | null } = {}) {
  const rows = [["name", title], ...cells.map((cell) => ["Malee", cell])];
  const donations = await donationsIn(rows, { choices: { ...noChoices, decimal } });
  return donations.map(({ value, faults }) => faults.amount ?? value.amount);
}

test.each([
  ["฿1,234.50", 1234.5],
  ["๕๐ บาท", 50],
  ["๑,๒๓๔.๕๐", 1234.5],
  ["１００", 100],
  ["-50", -50],
  [" 1e3 ", 1000],
  ["100.-", 100],
  ["1,500.-", 1500],
  ["1.500,-", 1500],
  ["THB.100", 100],
  ["฿.50", 0.5],
  ["1 234.50", 1234.5],
  ["1\u00a0234.50", 1234.5],
  ["1'234.50", 1234.5],
  ["12,34,567.00", 1_234_567],
  ["100 บ.", 100],
  ["50 Baht", 50],
  ["+50", 50],
  ["\u2060100\u200d", 100],
  ["0.1234567890123456789", 0.123_456_789_012_345_68],
])("the amount %s of a file is %s", async (text, amount) => expect(await amountsOf([text])).toEqual([amount]));

test.each(["5o", "--5", "(50)", "5%", "-", "1,23,4", "1,234,56.7", "1,234 567", "1.2.3", "50 coins", "10²", "½", "1,234.567.890", "1E400"])(
  "the amount %s of a file is no number",
  async (text) => expect(await amountsOf([text, "1.5"])).toEqual([expect.stringContaining(`amount “${text}” must be a number`), 1.5]),
);

test.each([
  ["$5.00", "$"],
  ["US$5", "US$"],
  ["5 €", "€"],
  ["USD 5", "USD"],
  ["฿5 usd", "USD"],
  ["5 ดอลลาร์", "ดอลลาร์"],
  ["¥500", "¥"],
  ["1.50 Rs", "RS"],
])("the amount %s of a file is refused, because it is in %s", async (text, currency) =>
  expect(await amountsOf([text])).toEqual([`amount “${text}” is in ${currency}, and only baht is recorded`]),
);

test.each([
  "Amount (USD)",
  "Amount (€)",
  "Amount USD",
  "amount_usd",
  "amountUSD",
  "Amount [$]",
  "จำนวนเงิน (ดอลลาร์)",
  "Amount in EUR",
  "Amount (satang)",
  "จำนวนเงิน (สตางค์)",
])("an amount under %s is refused, because it is in another currency", async (title) =>
  expect(await amountsOf(["5.00"], { title })).toEqual([expect.stringMatching(/is in \S+, and only baht is recorded$/)]),
);

test.each(["Amount (THB)", "amount_thb", "Amount (฿)", "จำนวนเงิน (บาท)", "ยอดเงิน(บาท)", "Amount\n(optional)"])(
  "an amount under %s is one in baht",
  async (title) => expect(await amountsOf(["5.00"], { title })).toEqual([5]),
);

test("the column in baht is the amount where a file has two columns of amounts", async () => {
  const [donation] = await donationsIn(table("Name|Amount (USD)|Amount (THB)", "Malee|5|170"));
  expect(donation?.value.amount).toBe(170);
});

test.each([
  ['"$"#,##0.00', "$"],
  ["[$€-2] #,##0.00", "€"],
  ["[$USD] #,##0", "USD"],
])("a number of a workbook that is shown as %s is refused, because it is in %s", async (format, currency) => {
  const [donation] = await donationsIn(
    [
      ["name", "amount"],
      ["Malee", 5],
    ],
    { formats: ["", format] },
  );
  expect(donation?.faults).toEqual({ amount: `amount “5” is in ${currency}, and only baht is recorded` });
});

test.each(["#,##0.00", '"฿"#,##0.00', "[$฿-41E]#,##0.00", "[$-41E]0.00"])(
  "a number of a workbook that is shown as %s is one of baht",
  async (format) => {
    const [donation] = await donationsIn(
      [
        ["name", "amount"],
        ["Malee", 5],
      ],
      { formats: ["", format] },
    );
    expect([donation?.value.amount, donation?.faults]).toEqual([5, {}]);
  },
);

test.each(["0%", "dd/mm/yyyy"])("a number of a workbook that is shown as %s is no amount", async (format) => {
  const [donation] = await donationsIn(
    [
      ["name", "amount"],
      ["Malee", 0.5],
    ],
    { formats: ["", format] },
  );
  expect(donation?.faults).toEqual({ amount: "amount “0.5” must be a number" });
});

test("the decimal sign of a column is the one that most of its values show", async () => {
  expect(await amountsOf(["0,500", "1.234,56", "5323,54", "1.234", "7"])).toEqual([0.5, 1234.56, 5323.54, 1234, 7]);
  expect(await amountsOf(["0,500"])).toEqual([0.5]); // no thousands begin with 0
  expect(await amountsOf(["1.50", "1,50", "2,50"])).toEqual(["amount “1.50” must be a number with a decimal comma", 1.5, 2.5]);
  expect(await amountsOf(["0.50", "1,234", "7", "12.25", "1,50"])).toEqual([
    0.5,
    1234,
    7,
    12.25,
    "amount “1,50” must be a number with a decimal point",
  ]);
});

test.each([[["1,234", "5,000"]], [["1.234", "100"]], [["1,50", "2.50"]]])(
  "the decimal sign of the column %s is asked for, and its donations are recorded as the answer says",
  async (cells) => {
    const rows = [["name", "amount"], ...cells.map((cell) => ["Malee", cell])];
    expect((await readingOf(rows)).questions).toEqual(["decimal"]);
    expect((await readingOf(rows, { choices: { ...noChoices, decimal: "comma" } })).questions).toEqual([]);
    expect((await amountsOf(cells))[0]).toMatch(/one of which must be chosen$|the decimal sign that is chosen$/);
  },
);

test("the decimal sign that was chosen comes before what the values show", async () => {
  expect(await amountsOf(["1,234"], { decimal: "point" })).toEqual([1234]);
  expect(await amountsOf(["1,234"], { decimal: "comma" })).toEqual([1.234]);
  expect(await amountsOf(["1.50"], { decimal: "comma" })).toEqual(["amount “1.50” must be a number with a decimal comma"]);
});

test("the decimal sign is not asked for where every value is the same number under both", async () => {
  expect(
    (
      await readingOf([
        ["name", "amount"],
        ["Malee", "100"],
        ["Somchai", "1 234"],
        ["Mana", 5],
      ])
    ).questions,
  ).toEqual([]);
});

/** Writes satang as people do: an oracle of its own, made of digits. */
const styles = { point: [".", [",", " ", "'", ""]], comma: [",", [".", " ", "'", ""]] } as const;

test("an amount that is written in any style comes in as its satang, when a value of the column shows the decimal sign", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ satang: fc.integer({ min: 1, max: 100_000_000 }), style: fc.nat(), affix: fc.nat() }), {
        minLength: 1,
        maxLength: 5,
      }),
      fc.constantFrom("point" as const, "comma" as const),
      async (donations, sign) => {
        const [decimal, groups] = styles[sign];
        const written = donations.map(({ satang, style, affix }) => {
          const digits = String(satang).padStart(3, "0");
          const whole = digits.slice(0, -2).replace(/\B(?=(\d{3})+$)/g, groups[style % groups.length] ?? "");
          const text = `${whole}${decimal}${digits.slice(-2)}`;
          return [text, `฿${text}`, `${text} บาท`, `THB ${text}`, `${text}฿`][affix % 5] ?? text;
        });
        expect(await amountsOf(written)).toEqual(donations.map(({ satang }) => Number(`${satang}e-2`)));
      },
    ),
  );
});
