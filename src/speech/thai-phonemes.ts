// Phonemes for espeak-ng in place of Thai words, because it reads Thai letter by letter: บาท as "bast". These are the words of amounts and those
// that donators write most. Other words stay as they are. Pure.

/** In espeak-ng's own notation, as its voice `th` speaks it. It has no tones. */
const phonemes: Readonly<Record<string, string>> = {
  ...{ ศูนย์: "s'u:n", หนึ่ง: "n'u3eN", เอ็ด: "?'et", สอง: "s'O:N", ยี่: "j'i:", สาม: "s'a:m", สี่: "s'i:", ห้า: "h'a:", หก: "h'ok" },
  ...{ เจ็ด: "ch'et", แปด: "p'E:t", เก้า: "k'a:w", สิบ: "s'ip", ร้อย: "r'O:j", พัน: "ph'an", หมื่น: "m'u3e:n", แสน: "s'E:n" },
  ...{ ล้าน: "l'a:n", บาท: "b'a:t", สตางค์: "sat'a:N", จุด: "ch'ut", ถึง: "th'u3eN", โดเนท: "d'o:n'e:t" },
  ...{ ผู้: "ph'u:", ไม่: "m'ai", ประสงค์: "pras'oN" },
  ...{ ออก: "?'O:k", นาม: "n'a:m", ขอบคุณ: "kh'O:pkh'un", ขอบใจ: "kh'O:pch'ai", ครับ: "khr'ap", ค่ะ: "kh'a", คะ: "kh'a" },
  ...{ จ้า: "ch'a:", นะ: "n'a", สวัสดี: "sawatd'i:", สู้: "s'u:", รัก: "r'ak", ชอบ: "ch'O:p", เก่ง: "k'eN", มาก: "m'a:k", ดี: "d'i:" },
  ...{ สนุก: "san'uk", สตรีม: "satr'i:m", เกม: "k'e:m", เล่น: "l'en", พี่: "ph'i:", น้อง: "n'O:N", คน: "kh'on", ให้: "h'ai" },
  ...{ สำหรับ: "s'amr'ap", ที่: "th'i:", วัน: "w'an", นี้: "n'i:", และ: "l'E", เป็น: "p'en", กำลัง: "k'aml'aN", ใจ: "ch'ai" },
  ...{ ฝันดี: "f'and'i:", สุขสันต์: "s'uks'an", เกิด: "k'@:t", โชค: "ch'o:k", ติดตาม: "t'itt'a:m", ตลก: "tal'ok", น่ารัก: "n'a:r'ak" },
};

const known = new RegExp(
  `(?:${Object.keys(phonemes)
    .sort((a, b) => b.length - a.length)
    .join("|")})`,
  "g",
);
/** Words that the segmenter takes apart. */
const unsegmented = /(โดเนท|สตรีม|สตางค์)/;
const words = new Intl.Segmenter("th", { granularity: "word" });

/** The text with `[[phonemes]]` in place of the words that consist of known ones alone: not of สาม in สามารถ. */
export function withPhonemes(text: string): string {
  const segments = text.split(unsegmented).flatMap((part) => (unsegmented.test(part) ? part : Array.from(words.segment(part), segmentOf)));
  const spoken = segments.map((segment) => {
    const parts = segment.match(known) ?? [];
    return parts.length > 0 && parts.join("") === segment ? ` [[${parts.map((part) => phonemes[part]).join(" ")}]] ` : segment;
  });
  return spoken
    .join("")
    .replace(/\]\] +\[\[/g, " ")
    .replace(/ +/g, " ")
    .trim();
}

function segmentOf({ segment }: Intl.SegmentData): string {
  return segment;
}
