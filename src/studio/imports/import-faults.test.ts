import { expect, test } from "vitest";
import { loadContract } from "../../http/contract/contract.ts";
import { openStudio } from "../testing.ts";
import { fileFault, rowFault, rowPlace } from "./import-faults.ts";
import { checkedUpload } from "./testing-imports.ts";

test.each([
  ["amount “0” must be greater than 0", "Amount “0” must be greater than 0", "จำนวนเงิน “0” ต้องมากกว่า 0"],
  ["donatorName is required", "Donator's name is required", "ชื่อผู้โดเนท ต้องมี"],
  [
    "amount “x” must be a number; message “a\nb” must have at most 255 characters",
    "Amount “x” must be a number; Message “a\nb” must have at most 255 characters",
    "จำนวนเงิน “x” ต้องเป็นตัวเลข; ข้อความ “a\nb” ยาวได้ไม่เกิน 255 ตัวอักษร",
  ],
  [
    "createdAt “soon” must be a time such as 2026-11-20 19:30",
    "Time “soon” must be a time such as 2026-11-20 19:30",
    "เวลา “soon” ต้องเป็นเวลา เช่น 2026-11-20 19:30",
  ],
  [
    "message “a; b” must have at most 255 characters; donatorName is required",
    "Message “a; b” must have at most 255 characters; Donator's name is required",
    "ข้อความ “a; b” ยาวได้ไม่เกิน 255 ตัวอักษร; ชื่อผู้โดเนท ต้องมี",
  ],
  ["the row must have the documented form", "the row must have the documented form", "แถวนี้ รูปแบบไม่ถูกต้อง"],
  ["amount “1” has a fault that nobody knows", "Amount “1” has a fault that nobody knows", "amount “1” has a fault that nobody knows"],
])("the fault of a row is told in both languages, with the names of the columns: %s", (text, english, thai) =>
  expect(rowFault(text)).toEqual({ th: thai, en: english }),
);

test("the fault of a number of a payment that is used says how the donation can be recorded", () => {
  const { th, en } = rowFault("This idempotencyKey already belongs to another donation.");
  expect([th, en]).toEqual([expect.stringContaining("“ไม่ใช้”"), expect.stringContaining("“Not used”")]);
});

test.each(["a fault that nobody knows", ""])("a fault without a translation is shown as it is: %j", (text) =>
  expect(rowFault(text)).toEqual({ th: text, en: text }),
);

test("the place of a row and the fault of a file are told in Thai", () => {
  expect([rowPlace("row 7").th, rowPlace("line 8").th, rowPlace("x").th]).toEqual(["แถว 7", "บรรทัด 8", "x"]);
  expect(fileFault("the file has more than 20,000 rows").th).toBe("ไฟล์มีมากกว่า 20,000 แถว");
  expect(fileFault("no column is chosen for amount").th).toBe("ยังไม่ได้เลือกคอลัมน์ของ amount");
  expect(fileFault("odd").th).toBe("odd");
});

test("every fault that the contract can find in an imported donation has a Thai text", async () => {
  const { schemas } = await loadContract();
  const { properties = {} } = schemas["ExternalDonation"] as unknown as { properties: Record<string, Record<string, number>> };
  expect(Object.keys(properties).length).toBeGreaterThan(5);
  for (const [name, { minLength, maxLength, maximum, exclusiveMinimum }] of Object.entries(properties)) {
    const faults = [
      minLength !== undefined && `${name} must have at least ${minLength} character(s)`,
      maxLength !== undefined && `${name} must have at most ${maxLength} characters`,
      maximum !== undefined && `${name} must be at most ${maximum}`,
      exclusiveMinimum !== undefined && `${name} must be greater than ${exclusiveMinimum}`,
    ];
    for (const fault of faults) if (fault) expect(rowFault(fault).th).not.toBe(fault);
  }
});

test("the review of a file shows its faults in the language of the page", async () => {
  const faults = [{ place: "row 3", fault: "amount “<b>” must be a number" }];
  const studio = openStudio({ imports: { check: async () => checkedUpload({ faults }) } });
  const fields = { file: Buffer.from("a").toString("base64"), "file name": "tips.csv" };
  expect((await studio.post("/studio/import/check", fields, "th")).html).toContain("แถว 3</strong>: <bdi>จำนวนเงิน “&lt;b&gt;” ต้องเป็นตัวเลข");
  expect((await studio.post("/studio/import/check", fields, "en")).html).toContain(
    "row 3</strong>: <bdi>Amount “&lt;b&gt;” must be a number",
  );
});
