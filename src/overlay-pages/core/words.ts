// Thai words that browsers would break in two, because the dictionary of ICU lacks them: loanwords of streams and games. The text itself stays as
// it is: no character is added that somebody would copy.

/** The longest first, so that `สตรีมเมอร์` is not `สตรีม` with something behind it. */
const words = [
  ...["สตรีมเมอร์", "สตรีมมิ่ง", "สตรีม(?!หา|เหสี)", "โดเนท", "โดเนต", "คอมเมนต์", "ซับสไครบ์", "แอดมิน", "มอดเดอเรเตอร์", "แชทบอท"],
  ...["ซูเปอร์แชต", "ซุปเปอร์แชท", "เมมเบอร์ชิป", "สติกเกอร์", "อิโมจิ", "วิดเจ็ต", "โอเวอร์เลย์", "คอนเทนต์", "คอนเท้นต์", "สตูดิโอ"],
  ...["ทวิตช์", "ยูทูบเบอร์", "ยูทูบ", "ยูทูป", "วีทูบเบอร์", "วีทูปเบอร์", "ติ๊กต็อก", "ติ๊กตอก", "เฟซบุ๊ก", "ดิสคอร์ด", "กูเกิล", "โซเชียล", "แฮชแท็ก", "รีทวีต"],
  ...["เกมเมอร์", "โปรเพลเยอร์", "แคสเตอร์", "แคสเกม", "แคสต์", "อีสปอร์ต", "ทัวร์นาเมนต์", "แรงค์", "แรงก์", "ไอเทม", "เอเนมี่", "รีแอค", "ออฟไลน์"],
  ...["วาโลแรนต์", "ไมน์คราฟต์", "มายคราฟ", "โรบล็อกซ์", "ฟีฟาย", "เก็นชิน", "เกนชิน", "คอสเพลย์", "อนิเมะ", "มังงะ", "โรแมนติก", "เฮดเซ็ต"],
];

/** No word begins behind a vowel that belongs to its first letter, or ends before a mark on its last: `สตรีมาก` has no `สตรีม`. */
const word = new RegExp(`(?<![เ-ไ])(${words.join("|")})(?![ะ-ฺๅ็-๎])`, "u");

/** The text in pieces: those at odd places are words that must stay in one line. */
export function splitWords(text: string): readonly string[] {
  return text.split(word);
}

/** Whether a line may break between a word of the list and this text beside it: only another Thai word can follow or precede it directly. */
export const mayBreakBefore = (text: string): boolean => /^[ก-ฮเ-ไ]/.test(text);
export const mayBreakAfter = (text: string): boolean => /[ก-ฺเ-ๅ็-๎]$/.test(text);
