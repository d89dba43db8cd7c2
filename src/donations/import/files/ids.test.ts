import { expect, test } from "vitest";
import type { Cell } from "./table.ts";
import { donationsIn } from "./testing.ts";

const idOf = async (cell: Cell, format = "") => {
  const [donation] = await donationsIn(
    [
      ["name", "amount", "id"],
      ["Malee", 20, cell],
    ],
    { formats: ["", "", format] },
  );
  return donation?.faults.idempotencyKey ?? donation?.value.idempotencyKey;
};

test("an id has the digits that its author sees, or is a fault of its row", async () => {
  expect(await idOf("7234567890123456789")).toBe("7234567890123456789");
  expect(await idOf(123)).toBe("123");
  expect(await idOf(123, "00000")).toBe("00123");
  for (const lost of [7_234_567_890_123_457_000, 1.5e21, "1.5E+17", "7,23E+18", "1e17"])
    expect(await idOf(lost)).toMatch(/^idempotencyKey “.*” must be a number with all its digits$/);
  expect(await idOf(46_000, "dd/mm/yyyy")).toMatch(/is a date in the workbook/);
});

test.each(["#N/A", "#REF!", "#NAME?", "#DIV/0!"])("the error %s of a formula is no id, which several rows would have", async (cell) =>
  expect(await idOf(cell)).toBe(`idempotencyKey “${cell}” is an error of a formula and must be a text`),
);

test("an export of this service from which a column was deleted still knows its donations", async () => {
  const id = "01932f6e-8a00-7000-8000-3f1e5a7c9b21";
  const knownAs = async (titles: readonly string[], row: readonly string[]) =>
    (await donationsIn([titles, row])).map((donation) => donation.knownAs);
  expect(await knownAs(["donator", "amount", "idempotencyKey", "donationId"], ["Anan", "5", "", id])).toEqual([[id]]);
  expect(await knownAs(["donator", "amount", "donationId"], ["Anan", "5", id])).toEqual([[id]]);
  expect(await knownAs(["ชื่อผู้โดเนท", "จำนวนเงิน", "รหัสโดเนท"], ["Anan", "5", id])).toEqual([[id]]);
});
