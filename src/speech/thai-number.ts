// Numbers in Thai words, by the rules of the Royal Society: สิบ without หนึ่ง, ยี่สิบ, and เอ็ด for a one at the end.

const digits = ["ศูนย์", "หนึ่ง", "สอง", "สาม", "สี่", "ห้า", "หก", "เจ็ด", "แปด", "เก้า"];
const places = ["", "สิบ", "ร้อย", "พัน", "หมื่น", "แสน"];

/** A whole number, written in decimal digits, in words: "21" is ยี่สิบเอ็ด. */
export function thaiNumber(decimal: string): string {
  const written = decimal.replace(/^0+(?=.)/, "");
  if (written === "0") return thaiDigits(written);
  // Millions are counted like everything else: ยี่สิบเอ็ดล้าน, ล้านล้าน.
  const millions = written.slice(0, -places.length);
  const spoken = [...written.slice(-places.length)].map((digit, i, rest) => wordAt(Number(digit), rest.length - 1 - i));
  const words = (millions && `${thaiNumber(millions)}ล้าน`) + spoken.join("");
  return written.length > 1 && written.endsWith("1") ? words.replace(/หนึ่ง$/, "เอ็ด") : words;
}

/** Digits one by one, as behind a decimal point: "05" is ศูนย์ห้า. */
export function thaiDigits(decimal: string): string {
  return [...decimal].map((digit) => digits[Number(digit)]).join("");
}

function wordAt(digit: number, place: number): string {
  if (digit === 0) return "";
  if (place === 1 && digit === 1) return "สิบ";
  if (place === 1 && digit === 2) return "ยี่สิบ";
  return `${digits[digit]}${places[place]}`;
}
