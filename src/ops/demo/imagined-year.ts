// Generates a streamer's year: evenings and weekends, paydays, regular and occasional donators. Pure; the seed determines everything.

import { formatInstant } from "../../base/instant.ts";
import { msPerDay } from "../../base/local-days.ts";
import type { Channel, DonationInput, Source } from "../../donations/donation.ts";

export type Imagined = Omit<DonationInput, "createdAt"> & { createdAt: string; source: Source; channel: Channel };

type Random = () => number;
type Donator = Readonly<{ name: string; identifier: string | undefined; usual: number; thai: boolean; native: boolean }>;

const bangkokOffsetMs = 7 * 3_600_000;
const meanDonationsPerDay = 30;

/** The relative number of donations in each hour of a streaming day, from midnight in Bangkok. */
const hourWeights = [9, 5, 2, 1, 0.3, 0.2, 0.2, 0.3, 0.5, 0.8, 1, 1.5, 2, 2, 1.5, 1.5, 2, 3, 6, 11, 15, 17, 16, 13];
const weekdayWeights = [1.7, 0.5, 0.8, 0.4, 0.9, 1.5, 2]; // from Sunday

/** The relative number of donations of each round amount. */
const roundAmounts = Object.entries({
  ...{ 10: 8, 20: 22, 25: 3, 30: 6, 40: 3, 50: 20, 69: 3, 99: 5, 100: 16, 150: 2, 199: 1, 200: 5, 300: 3, 500: 3 },
  ...{ 555: 0.8, 999: 0.4, 1000: 1, 2000: 0.2, 5000: 0.06 },
}).map(([amount, weight]) => [Number(amount), weight] as const);

const thaiNames = [
  ...["สมชาย", "น้องแพรว", "พี่หมี", "ก้องภพ", "มะนาวหวาน", "ส้มโอ", "ต้นกล้า", "ฟ้าใส", "ใบเตย", "บอสใหญ่"],
  ...["ข้าวปั้น", "โดนัท", "น้ำฝน", "พี่เสือ", "ตูนตูน", "แมวส้ม", "ลุงพล", "ป้าแจ๋ว", "นักเดินทาง", "คนนอนดึก"],
];
const thaiSuffixes = ["", "", " ใจดี", "จัง", " สายเปย์", " มาแล้ว", " FC", "น้อย", " ณ ระยอง", " คนเดิม"];
const latinNames = [
  "Mint",
  "nattapong",
  "Beam",
  "TigerTH",
  "Ploy",
  "James",
  "kanda",
  "Zen",
  "Best",
  "Fah",
  "sunny",
  "Earth",
  "Arm",
  "Nook",
];
const latinSuffixes = ["", "", "_th", "88", ".gg", " BKK", "official", "x"];
const thaiMessages = [
  ...["ขอบคุณสำหรับสตรีมครับ", "สู้ๆ นะพี่", "ขำมาก 555", "กินข้าวหรือยังคะ", "เป็นกำลังใจให้ค่ะ ❤️"],
  ...["ฝันดีครับทุกคน", "ขอเพลงหน่อยครับ", "เก่งมากกก", "รออยู่นานเลย มาแล้ว!", "เงินเดือนออกแล้วจ้า"],
  ...["สุขสันต์วันเกิดครับ 🎂", "เล่นต่ออีกตานะ", "คิดถึงสตรีมเมื่อวาน", "ทักทายจากเชียงใหม่ค่า", "ขอให้รวยๆ เฮงๆ"],
];
const latinMessages = [
  ...["gg", "nice one!", "love the stream ❤️", "hello from Chiang Mai", "good luck tonight", "that was insane lol"],
  ...["keep it up!", "first donation :)", "play one more please", "happy birthday 🎂", "greetings from Tokyo", "you deserve it"],
];

/** About ten thousand donations in the 365 days before `now`, in the order of time. */
export function imagineYear(seed: number, now: number): Imagined[] {
  const random = seededRandom(seed);
  const regulars = Array.from({ length: 60 }, (_, index) =>
    imagineDonator(random, index % 3 === 0 ? `viewer-${1_000 + index}` : undefined),
  );
  const occasional = Array.from({ length: 2_500 }, () => imagineDonator(random, undefined));
  const today = Math.floor((now + bangkokOffsetMs) / msPerDay);
  return Array.from({ length: 366 }, (_, index) => today - 365 + index)
    .flatMap((day) => Array.from({ length: donationsOfDay(day, random) }, () => momentOf(day, random)))
    .filter((moment) => moment > now - 365 * msPerDay && moment < now)
    .sort((a, b) => a - b)
    .map((moment) => imagineDonation(moment, random() < 0.55 ? regularOf(regulars, random) : randomItem(occasional, random), random));
}

/** The number of donations of a day: by weekday, more on paydays and holidays; on some days the streamer is away or very popular. */
function donationsOfDay(day: number, random: Random): number {
  const date = new Date(day * msPerDay);
  const lastOfMonth = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  const payday = date.getUTCDate() === 1 || date.getUTCDate() === lastOfMonth ? 1.8 : 1;
  const holiday = ["01-01", "04-13", "04-14", "04-15", "12-31"].includes(date.toISOString().slice(5, 10)) ? 1.6 : 1;
  const luck = random();
  const popularity = luck < 0.06 ? 0 : luck > 0.985 ? 3 : 0.6 + 0.8 * random();
  return Math.round(meanDonationsPerDay * (weekdayWeights[date.getUTCDay()] as number) * payday * holiday * popularity * 0.85);
}

function momentOf(day: number, random: Random): number {
  const hour = weightedChoice(
    hourWeights.map((weight, hour) => [hour, weight] as const),
    random,
  );
  return day * msPerDay - bangkokOffsetMs + Math.floor((hour + random()) * 3_600_000);
}

function imagineDonator(random: Random, identifier: string | undefined): Donator {
  const thai = random() < 0.7;
  const [names, suffixes] = thai ? [thaiNames, thaiSuffixes] : [latinNames, latinSuffixes];
  const number = random() < 0.35 ? String(Math.floor(random() * 999)) : "";
  const usual = weightedChoice(roundAmounts, random);
  return { name: `${randomItem(names, random)}${randomItem(suffixes, random)}${number}`, identifier, usual, thai, native: random() < 0.45 };
}

/** Chooses one of the regular donators; the first ones are chosen most often. */
function regularOf(regulars: readonly Donator[], random: Random): Donator {
  return regulars[Math.floor(regulars.length * random() ** 2)] as Donator;
}

function imagineDonation(moment: number, donator: Donator, random: Random): Imagined {
  const luck = random();
  const amount =
    luck < 0.5 ? donator.usual : luck < 0.95 ? weightedChoice(roundAmounts, random) : Math.round(100 * (1 + 999 * random() ** 3)) / 100;
  const test = random() < 0.004;
  const channels = [
    ["promptpay", 12],
    ["truemoney", 4],
    ["bank_transfer", 2],
    ["card", 2],
    ["other", 0.2],
  ] as const;
  const origin = donator.native || test ? { channel: weightedChoice<Channel>(channels, random) } : { channel: "external" as const };
  return {
    donatorName: test ? "ทดสอบ" : donator.name,
    amount,
    currency: "THB",
    message: random() < 0.25 ? "" : randomItem(donator.thai ? thaiMessages : latinMessages, random),
    ...(donator.identifier && !test ? { identifier: donator.identifier } : {}),
    skipAlert: random() < 0.015,
    createdAt: formatInstant(moment),
    source: test ? "test" : donator.native ? "native" : "external",
    ...origin,
  };
}

function weightedChoice<T>(choices: readonly (readonly [T, number])[], random: Random): T {
  let left = random() * choices.reduce((sum, [, weight]) => sum + weight, 0);
  for (const [choice, weight] of choices) if ((left -= weight) < 0) return choice;
  return choices.at(-1)?.[0] as T;
}

function randomItem<T>(from: readonly T[], random: Random): T {
  return from[Math.floor(random() * from.length)] as T;
}

/** Random numbers in [0, 1) from a seed (mulberry32). */
function seededRandom(seed: number): Random {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296;
  };
}
