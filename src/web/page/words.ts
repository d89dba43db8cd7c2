// The few words that our pages say themselves; ?lang=en for English.

const thai = {
  verb: "สนับสนุน",
  someone: "ผู้ไม่ประสงค์ออกนาม",
  today: "ยอดวันนี้",
  month: "ยอดเดือนนี้",
  all: "ยอดทั้งหมด",
  recent: "โดเนทล่าสุด",
  top: "ผู้สนับสนุนสูงสุด",
  times: "ครั้ง",
  reached: "ถึงเป้าแล้ว!",
};

export type Words = typeof thai;

const english: Words = {
  verb: "donated",
  someone: "Somebody",
  today: "Today",
  month: "This month",
  all: "All time",
  recent: "Recent donations",
  top: "Top donators",
  times: "donations",
  reached: "Goal reached!",
};

/** The words of the page's language; the document says so, too. */
export function chooseWords(query: URLSearchParams): Words {
  const language = query.get("lang") === "en" ? "en" : "th";
  document.documentElement.lang = language;
  return language === "en" ? english : thai;
}
