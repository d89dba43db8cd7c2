// Names, messages and amounts of the histories that are measured. The same at every run.

export type Donator = { name: string; key: string; identifier: string | null };

/** In 20 donations of each history, evenly spread, whatever its size. */
export const rare = { word: "ไดโนเสาร์", letter: "Ж", identifier: "bench-rare" };

/** In about every fourth message. */
export const common = { word: "ขอบคุณ", letter: "ก" };

/** Too rare to be met on the way: in about one donation of a hundred, and so in nine blocks of ten; in one of 3,000, a block of twelve. */
export const spread = { most: "เพลงนี้ lol", few: "2856" };

export const absent = "ไม่มีใครเขียนคำนี้";

export const roundAmounts = [
  20, 50, 100, 10, 30, 40, 99, 200, 500, 60, 25, 5, 69, 150, 300, 1000, 35, 45, 55, 70, 80, 90, 111, 120, 199, 222, 250, 333, 350, 400, 555,
  600, 700, 800, 999, 1500, 2000, 3000, 5000, 10000,
];

const thaiNames = ["สมชาย", "น้องแพรว", "พี่หมี", "ก้อง", "มะนาว", "ส้มโอ", "ต้นกล้า", "ฟ้าใส", "บอส", "ใบเตย"];
const latinNames = ["Mint", "nattapong", "Beam", "XxTiger", "Ploy", "James", "Oat", "kanda", "Boss", "Zen"];
const openings = ["ขอบคุณ", "สู้ๆ", "รักนะ", "กินข้าวยัง", "gg", "nice", "hello", "ขำมาก"];
const middles = ["พี่", "ครับ", "ค่ะ", "stream", "วันนี้", "from Chiang Mai", "เกม", "ทีม", "เพลงนี้", "นะคะ"];
const endings = ["555", "ตลอดไป", "❤️", "!!!", "lol", "ฝันดี", "เล่นต่อ", "good luck", "มาแล้ว", "50% จริงๆ"];

export function donators(count: number): Donator[] {
  return Array.from({ length: count }, (_, index) => {
    const names = index % 3 === 0 ? latinNames : thaiNames;
    const name = `${names[index % names.length]} ${index}`;
    const identifier = index % 5 === 0 ? `user-${index}` : null;
    return { name, key: identifier ? `i:${identifier}` : `n:${name.toLowerCase()}`, identifier };
  });
}

/** Every tenth is empty. */
export function messages(count: number): string[] {
  const pick = (from: string[], index: number) => from[index % from.length] as string;
  return Array.from({ length: count }, (_, index) =>
    index % 10 === 9
      ? ""
      : [pick(openings, index), pick(middles, Math.floor(index / 8)), pick(endings, Math.floor(index / 80)), index % 7 ? "" : String(index)]
          .filter(Boolean)
          .join(" "),
  );
}
