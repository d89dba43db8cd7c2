// The pages for OBS.

/** The path, name and suitable size of each. */
export const sources = [
  { path: "/overlay/", th: "แจ้งเตือนโดเนท", en: "Donation alerts", size: "1920 × 1080" },
  { path: "/overlay/goal", th: "แถบเป้าหมาย", en: "Goal bar", size: "450 × 140" },
  { path: "/overlay/total?span=today", th: "ยอดวันนี้", en: "Today's total", size: "400 × 130" },
  { path: "/overlay/total?span=month", th: "ยอดเดือนนี้", en: "This month's total", size: "400 × 130" },
  { path: "/overlay/total?span=all", th: "ยอดทั้งหมด", en: "All-time total", size: "400 × 130" },
  { path: "/overlay/recent", th: "โดเนทล่าสุด", en: "Latest donations", size: "400 × 460" },
  { path: "/overlay/top", th: "ผู้โดเนทสูงสุด", en: "Top donators", size: "400 × 460" },
  { path: "/overlay/donator", th: "ผู้โดเนทล่าสุด", en: "Latest donator", size: "400 × 130" },
  { path: "/overlay/donator?show=largest", th: "โดเนทสูงสุด", en: "Largest donation", size: "400 × 130" },
] as const;
