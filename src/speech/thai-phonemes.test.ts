import { expect, test } from "vitest";
import { speechText } from "./speech-text.ts";
import { withPhonemes } from "./thai-phonemes.ts";

test.each([
  ["หนึ่งร้อยบาท", "[[n'u3eN r'O:j b'a:t]]"],
  ["สมชาย โดเนทห้าสิบบาท, ขอบคุณครับ", "สมชาย [[d'o:n'e:t h'a: s'ip b'a:t]] , [[kh'O:pkh'un khr'ap]]"],
  ["สามารถ", "สามารถ"],
  ["hello 123", "hello 123"],
  ["", ""],
])("%j is spoken as %j", (text, spoken) => {
  expect(withPhonemes(text)).toBe(spoken);
});

test("every amount is spoken by phonemes alone", () => {
  for (const amount of [0.25, 1, 11, 21, 105.5, 1_234.56, 98_765.43, 100_000, 1_000_000, 5e-324, 0.123456]) {
    const spoken = withPhonemes(speechText({ donatorName: "", amount, currency: "THB", message: "", language: "th" }));
    expect(spoken, String(amount)).toMatch(/^\[\[[^[\]]+\]\]$/);
  }
});
