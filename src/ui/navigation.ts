// The streamer's pages in the order of the navigation. A page is one line here.

import type { IconName } from "./icons.ts";
import type { Words } from "./layout.ts";

type Entry = Words & Readonly<{ icon: IconName }>;

/** Used daily: on a phone they stand in the bar, the others behind "More". */
const daily = {
  "/studio/home": { icon: "house", th: "หน้าแรก", en: "Home" },
  "/studio/money": { icon: "banknote", th: "ยอดเงิน", en: "Money" },
  "/studio": { icon: "bell", th: "แจ้งเตือน", en: "Alerts" },
  "/studio/history": { icon: "history", th: "ประวัติ", en: "History" },
} as const satisfies Record<string, Entry>;

/** What the stream looks like. */
const stream = {
  "/studio/overlay": { icon: "link", th: "ลิงก์ OBS", en: "OBS links" },
  "/studio/designer": { icon: "palette", th: "ออกแบบ", en: "Designer" },
  "/studio/goals": { icon: "target", th: "เป้าหมาย", en: "Goals" },
  "/studio/timer": { icon: "timer", th: "ตัวจับเวลา", en: "Timer" },
  "/studio/dock": { icon: "panel-right", th: "แผงใน OBS", en: "Dock for OBS" },
  "/studio/settings": { icon: "settings", th: "ตั้งค่า", en: "Settings" },
} as const satisfies Record<string, Entry>;

/** Programs and data. */
const programs = {
  "/studio/keys": { icon: "key-round", th: "คีย์ API", en: "API keys" },
  "/studio/webhooks": { icon: "webhook", th: "เว็บฮุก", en: "Webhooks" },
  "/studio/apps": { icon: "blocks", th: "แอปของฉัน", en: "My apps" },
  "/studio/import": { icon: "upload", th: "นำเข้า", en: "Import" },
  "/studio/privacy": { icon: "shield", th: "ความเป็นส่วนตัว", en: "Privacy" },
} as const satisfies Record<string, Entry>;

/** In the menu of the account. */
const account = {
  "/studio/account": { icon: "user", th: "บัญชี", en: "Account" },
  "/oauth/connections": { icon: "plug", th: "แอปที่เชื่อมต่อ", en: "Connected apps" },
  "/studio/help": { icon: "circle-question-mark", th: "คู่มือ", en: "Help" },
} as const satisfies Record<string, Entry>;

const pages = { ...daily, ...stream, ...programs, ...account };

export type StreamerPage = keyof typeof pages;

/** The entries of a part of the navigation. */
export type Places = readonly (readonly [page: StreamerPage, entry: Entry])[];

const placesOf = (part: Partial<Record<StreamerPage, Entry>>) => Object.entries(part) as [StreamerPage, Entry][];

export const dailyPlaces: Places = placesOf(daily);
export const accountPlaces: Places = placesOf(account);

/** The places behind "More", under headings of their own where there is room. */
export const otherPlaces: readonly Readonly<{ title: Words; places: Places }>[] = [
  { title: { th: "สตรีม", en: "Stream" }, places: placesOf(stream) },
  { title: { th: "โปรแกรมและข้อมูล", en: "Programs and data" }, places: placesOf(programs) },
];

/** A login may lead to any of them; the first, the home page, is where one without another destination leads. */
export const streamerPages = placesOf(pages).map(([page]) => page) as [StreamerPage, ...StreamerPage[]];
export const [homePage] = streamerPages;
