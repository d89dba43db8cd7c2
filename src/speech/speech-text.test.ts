import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type SpokenDonation, speechText, spokenText, thaiAmount, thaiDigits, thaiNumber } from "./speech-text.ts";

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

const examples: Record<string, [written: string, spoken: string][]> = {
  "stays as it is": [
    ["ขอบคุณสำหรับสตรีมครับ", "ขอบคุณสำหรับสตรีมครับ"],
    ["สู้ๆนะ GG wp", "สู้สู้นะ GG wp"],
    ["น้ำใจ", "น้ำใจ"],
    ["Mr.Somchai ดี.มาก", "Mr.Somchai ดี.มาก"],
    ["Café Zoë", "Café Zoë"],
    ["#1 * 2", "#1 * 2"],
  ],
  "numbers stay readable": [
    ["0812345678", "0812345678"],
    ["1000000 บาท", "1000000 บาท"],
    ["99999999", "99999999"],
    ["3.14 กับ 1,500", "3.14 กับ 1,500"],
    ["๑๒๓ บาท", "123 บาท"],
    ["Player2077", "Player2077"],
    ["1555555", "1555555"],
  ],
  "repeats are collapsed": [
    ["5555555", "555"],
    ["555", "555"],
    ["๕๕๕๕๕๕๕๕", "555"],
    ["ฮา5555555+", "ฮา555+"],
    ["aaaaaa", "aaa"],
    ["รรรรร", "รรร"],
    ["กกรรมม", "กกรรมม"],
    ["ก้ก้ก้ก้ก้ก้", "ก้ก้ก้"],
    ["hahahahahahaha", "hahaha"],
    ["gg gg gg gg gg gg", "gg gg gg gg"],
    ["!!!!!!!!", "!!!"],
    ["1111111111111111", "111"],
  ],
  "ๆ repeats the word before it": [
    ["เร็วๆ", "เร็วเร็ว"],
    ["เร็ว ๆ เข้า", "เร็วเร็ว เข้า"],
    ["คนอื่นๆ ก็มา", "คนอื่นอื่น ก็มา"],
    ["รักมากๆครับ", "รักมากมากครับ"],
    ["มากๆๆ", "มากมากมาก"],
    ["go ๆ", "go go"],
    ["ๆ", ""],
    ["!ๆ", "!"],
  ],
  "links are left out": [
    ["ดู https://example.com/a?b=c#d นะ", "ดู นะ"],
    ["HTTP://EXAMPLE.COM", ""],
    ["ดูที่www.example.orgครับ", "ดูที่ ครับ"],
    ["example.com", ""],
    ["ไปที่ youtu.be/abc สิ", "ไปที่ สิ"],
    ["me@example.co.th!", "!"],
    ["ht\u200btp://evil.example/x", ""],
    ["discord.gg/abc", ""],
    ["javascript://alert(1)", ""],
  ],
  "emoji and other pictures are left out": [
    ["สวัสดี🔥🔥ครับ", "สวัสดี ครับ"],
    ["👨‍👩‍👧‍👦", ""],
    ["🇹🇭ไทย🇹🇭", "ไทย"],
    ["1️⃣ที่หนึ่ง", "1ที่หนึ่ง"],
    ["👍🏽ok", "ok"],
    ["★彡 ♥ ░▒▓", "彡"],
  ],
  "control, bidi and zero-width characters are left out": [
    ["a\u0000b\tc\r\nd", "a b c d"],
    ["\u202egnp.\u202c", "gnp."],
    ["สวัส\u200bดี", "สวัสดี"],
    ["\ufeffสมชาย\u00ad", "สมชาย"],
    ["\ud800x\ufffd", "x"],
  ],
  "blanks are collapsed": [
    ["  a \u00a0 \u3000 b  ", "a b"],
    ["   ", ""],
  ],
  "fancy letters are plain": [
    ["𝓢𝓸𝓶𝓬𝓱𝓪𝓲", "Somchai"],
    ["Ｈｉ", "Hi"],
  ],
  "nothing is left for an engine to obey": [
    ["<speak>hi</speak>", "speak hi /speak"],
    ["[[h@loU]]", "h@loU"],
  ],
  "towers of marks are cut down": [["a\u0301\u0302\u0303\u0304\u0305\u0306", "a\u0301\u0302\u0303\u0304"]],
};

describe.each(Object.entries(examples))("%s", (_, pairs) => {
  test.each(pairs)("the text %j is spoken as %j", (written, spoken) => {
    expect(spokenText(written, 300).normalize("NFC")).toBe(spoken.normalize("NFC"));
  });
});

test("a text beyond the limit is cut between graphemes", () => {
  expect(spokenText("กำลังดี", 4)).toBe("กำลั");
  expect(spokenText("กำลังดี", 3)).toBe("กำ");
  expect(spokenText("abc defg", 4)).toBe("abc");
  expect(spokenText("น้ำ", 2)).toBe("");
});

const pieces = [
  ..."กขคนมรสเแโำัิีุู่้์ๆฯ๑๕5 \t\n.aAz/:@#-_<[",
  ..."🔥👍★\u200d\ufe0f\u20e3\u202e\u200b\u0000\u0301\ufffd\u2028ﷺ㎏½",
  "https://",
  "www.",
  ".com",
  "👨‍👩‍👧",
  "🇹🇭",
  "เร็ว",
  "5555",
];
const written = fc.oneof(
  fc.array(fc.constantFrom(...pieces), { maxLength: 300 }).map((parts) => parts.join("")),
  fc.string({ unit: "binary", maxLength: 300 }),
  fc.string({ unit: "grapheme", maxLength: 300 }),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 300 }).map((units) => String.fromCharCode(...units)),
);
const runs = { numRuns: 500 };

test("a spoken text never has emoji, control or format characters, lone surrogates, addresses or double blanks, and has a bounded length", () => {
  fc.assert(
    fc.property(written, fc.integer({ min: 0, max: 300 }), (text, limit) => {
      const spoken = spokenText(text, limit);
      expect(spoken.length).toBeLessThanOrEqual(limit);
      expect(spoken).not.toMatch(/[\p{Extended_Pictographic}\p{Regional_Indicator}\p{C}\p{Zl}\p{Zp}]/u);
      expect(spoken).not.toMatch(/\p{RGI_Emoji}/v);
      expect(spoken).not.toMatch(/[a-z]:\/\/|www\../i);
      expect(spoken).not.toMatch(/^\s|\s$|\s\s/);
      expect(spoken).not.toContain("ๆ");
      expect(spoken.isWellFormed()).toBe(true);
    }),
    runs,
  );
});

test("texts of megabytes are prepared in a short time", () => {
  const hostile = ["ๆa", "a.", "@", "a@", "ﷺ", "ก้", "\u0301", "5", "ab", "https://", "ab ๆ"];
  const before = process.threadCpuUsage();
  for (const piece of hostile) spokenText(piece.repeat(1_000_000 / piece.length), 300);
  expect(process.threadCpuUsage(before).user / 1_000).toBeLessThan(5_000); // milliseconds of this thread, whatever else the machine does
});

test.each([
  [100, "หนึ่งร้อยบาท"],
  [50.25, "ห้าสิบบาทยี่สิบห้าสตางค์"],
  [1, "หนึ่งบาท"],
  [0.25, "ยี่สิบห้าสตางค์"],
  [0.01, "หนึ่งสตางค์"],
  [1.01, "หนึ่งบาทหนึ่งสตางค์"],
  [20.5, "ยี่สิบบาทห้าสิบสตางค์"],
  [21.21, "ยี่สิบเอ็ดบาทยี่สิบเอ็ดสตางค์"],
  [0.1 + 0.2, "สามสิบสตางค์"],
  [0.005, "หนึ่งสตางค์"],
  [0.0049, "ไม่ถึงหนึ่งสตางค์"],
  [5e-324, "ไม่ถึงหนึ่งสตางค์"],
  [0.995, "หนึ่งบาท"],
  [99.999, "หนึ่งร้อยบาท"],
  [999999.99, "เก้าแสนเก้าหมื่นเก้าพันเก้าร้อยเก้าสิบเก้าบาทเก้าสิบเก้าสตางค์"],
  [999999.999, "หนึ่งล้านบาท"],
  [1000000, "หนึ่งล้านบาท"],
])("%d baht are %s", (amount, words) => {
  expect(thaiAmount(amount, "THB")).toBe(words);
});

test("every amount that can be donated is said in Thai words, in a bounded length", () => {
  const amounts = fc.double({ min: 5e-324, max: 1_000_000, noNaN: true });
  fc.assert(
    fc.property(amounts, (amount) => {
      const words = thaiAmount(amount, "THB");
      expect(words).toMatch(/^[ก-๎]+(บาท|สตางค์)$/);
      expect(words.length).toBeLessThan(120);
    }),
  );
});

test.each([
  ["0", "ศูนย์"],
  ["1", "หนึ่ง"],
  ["2", "สอง"],
  ["10", "สิบ"],
  ["11", "สิบเอ็ด"],
  ["12", "สิบสอง"],
  ["20", "ยี่สิบ"],
  ["21", "ยี่สิบเอ็ด"],
  ["22", "ยี่สิบสอง"],
  ["30", "สามสิบ"],
  ["100", "หนึ่งร้อย"],
  ["101", "หนึ่งร้อยเอ็ด"],
  ["110", "หนึ่งร้อยสิบ"],
  ["111", "หนึ่งร้อยสิบเอ็ด"],
  ["120", "หนึ่งร้อยยี่สิบ"],
  ["1001", "หนึ่งพันเอ็ด"],
  ["2000", "สองพัน"],
  ["10000", "หนึ่งหมื่น"],
  ["123456", "หนึ่งแสนสองหมื่นสามพันสี่ร้อยห้าสิบหก"],
  ["999999", "เก้าแสนเก้าหมื่นเก้าพันเก้าร้อยเก้าสิบเก้า"],
  ["1000000", "หนึ่งล้าน"],
  ["1000001", "หนึ่งล้านเอ็ด"],
  ["11000000", "สิบเอ็ดล้าน"],
  ["21500000", "ยี่สิบเอ็ดล้านห้าแสน"],
  ["1000000000000", "หนึ่งล้านล้าน"],
  ["007", "เจ็ด"],
  ["01", "หนึ่ง"],
])("%s is %s", (decimal, words) => {
  expect(thaiNumber(decimal)).toBe(words);
});

test("digits are said one by one", () => {
  expect(thaiDigits("05")).toBe("ศูนย์ห้า");
  expect(thaiDigits("")).toBe("");
});

test("what is said, read back, is the number", () => {
  fc.assert(
    fc.property(fc.bigInt(1n, 10n ** 15n), (number) => {
      expect(readBack(thaiNumber(String(number)))).toBe(number);
    }),
  );
});

/** Thai numerals read the other way round: ล้าน multiplies whatever stands before it. */
function readBack(words: string): bigint {
  return words.split("ล้าน").reduce((sum, part) => sum * 1_000_000n + BigInt(readGroup(part)), 0n);
}

function readGroup(words: string): number {
  const one = ["", "หนึ่ง", "สอง", "สาม", "สี่", "ห้า", "หก", "เจ็ด", "แปด", "เก้า"];
  const groups = /^(?:(.+?)แสน)?(?:(.+?)หมื่น)?(?:(.+?)พัน)?(?:(.+?)ร้อย)?(?:(.*?)สิบ)?(.*)$/.exec(words) ?? [];
  const values = groups.slice(1).map((word, i) => {
    if (word === undefined) return 0;
    if (i === 4) return word === "" ? 1 : word === "ยี่" ? 2 : one.indexOf(word);
    return word === "เอ็ด" ? 1 : one.indexOf(word);
  });
  expect(values).not.toContain(-1);
  return values.reduce((sum, value) => sum * 10 + value, 0);
}
