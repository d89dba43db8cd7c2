// The texts of our pages, in Thai, or in English with ?lang=en.

const thai = {
  verb: "สนับสนุน",
  someone: "ผู้ไม่ประสงค์ออกนาม",
  today: "ยอดวันนี้",
  month: "ยอดเดือนนี้",
  all: "ยอดทั้งหมด",
  recent: "โดเนทล่าสุด",
  top: "ผู้สนับสนุนสูงสุด",
  once: "ครั้ง",
  times: "ครั้ง",
  reached: "ถึงเป้าแล้ว!",
};

export type Words = typeof thai;

const english: Words = {
  verb: "donated",
  someone: "Anonymous",
  today: "Today",
  month: "This month",
  all: "All time",
  recent: "Recent donations",
  top: "Top donators",
  once: "donation",
  times: "donations",
  reached: "Goal reached!",
};

/** The texts in the page's language, which is set as the document's language as well. */
export function chooseWords(query: URLSearchParams): Words {
  const language = query.get("lang") === "en" ? "en" : "th";
  document.documentElement.lang = language;
  return language === "en" ? english : thai;
}

/** For somebody who looks at the page in an ordinary browser, whatever the language of its audience is. */
export const hints = {
  noKey: "ลิงก์นี้ไม่มีคีย์ คัดลอกลิงก์ทั้งบรรทัดจากสตูดิโอ หน้าลิงก์ OBS · This link has no key. Copy the whole link from the studio, page OBS links.",
  refused: "ลิงก์นี้ใช้ไม่ได้แล้ว สร้างลิงก์ใหม่ในสตูดิโอ หน้าลิงก์ OBS · This link no longer works. Make new links in the studio, page OBS links.",
  click: "คลิกหน้านี้หนึ่งครั้งเพื่อเปิดเสียง · Click this page once for sound.",
};
