import { expect, test } from "vitest";
import { type SpokenDonation, speechText } from "./speech-text.ts";

test.each<[Partial<SpokenDonation>, string]>([
  [{}, "สมชาย โดเนทหนึ่งร้อยบาท, ขอบคุณครับ"],
  [{ message: "" }, "สมชาย โดเนทหนึ่งร้อยบาท"],
  [{ message: "🔥🔥" }, "สมชาย โดเนทหนึ่งร้อยบาท"],
  [{ donatorName: "John 99", message: "GG สู้ๆ" }, "John 99 โดเนทหนึ่งร้อยบาท, GG สู้สู้"],
  [{ donatorName: "👑" }, "ผู้ไม่ประสงค์ออกนาม โดเนทหนึ่งร้อยบาท, ขอบคุณครับ"],
  [{ donatorName: "(erased)", message: "" }, "ผู้ไม่ประสงค์ออกนาม โดเนทหนึ่งร้อยบาท"],
  [{ donatorName: "https://example.com" }, "ผู้ไม่ประสงค์ออกนาม โดเนทหนึ่งร้อยบาท, ขอบคุณครับ"],
  [{ amount: 5e-324 }, "สมชาย โดเนทไม่ถึงหนึ่งสตางค์, ขอบคุณครับ"],
])("a donation with %j is spoken as %s", (members, text) => {
  expect(speechText({ donatorName: "สมชาย", amount: 100, currency: "THB", message: "ขอบคุณครับ", language: "th", ...members })).toBe(text);
});

test("the text of the longest donation has a bounded length", () => {
  const longest = {
    donatorName: "ﷺ".repeat(50),
    amount: 999_999.99,
    currency: "THB" as const,
    message: "เร็ว ๆ ลง".repeat(30),
    language: "th" as const,
  };
  expect(speechText(longest).length).toBeLessThan(500);
});
