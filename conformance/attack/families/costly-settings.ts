// The worst values that a streamer's settings, texts and files may have: nobody else waits for what the server computes of them.

import { randomUUID } from "node:crypto";
import { lengthsOf } from "../../suite/contract/interface.ts";
import { type Attack, type AttackedServer, byScale } from "../attack.ts";
import { withoutWaits } from "../other-clients.ts";

const [nameLetters, messageLetters, identifierLetters] = ["donatorName", "message", "identifier"].map((name) => lengthsOf(name).max) as [
  number,
  number,
  number,
];

/** One letter that becomes 18 when texts are compared (NFKC). */
const long = "\ufdfa";
const maxWords = 200;
const maxDonations = 12;

/** Texts on which regular expressions or segmentation could take long, in their longest form. */
const evil: readonly string[] = [
  ...[
    "a.",
    "a@",
    "a:",
    "a-",
    "www.",
    "http:/",
    "a/",
    "ha",
    "5",
    "ๆ",
    "ดีๆ",
    "ก้",
    "\u0e4d\u0e49",
    "a ",
    "a\u0301",
    "\u0301\u0302",
    "\t",
    "{name}",
  ],
  ...["\u{1f44d}\u{1f3fd}", "\u{e0041}", "\u{1f3f4}\u{e0041}", "\u200d", "\u33c2", long, "\u0390", "\u{1f1f9}", "\u202e", "=", "<", "''"],
].map((piece) => longest(piece, 255));

function longest(piece: string, codePoints: number): string {
  return piece.repeat(Math.floor(codePoints / [...piece].length));
}

/** Blocked words whose folded forms are long and differ at their beginning or at their end. */
function longWords(salt: string, count = maxWords): string[] {
  const letters = (index: number) => String.fromCodePoint(0xe01 + (index % 40), 0x4e00 + index);
  return Array.from({ length: count }, (_, index) =>
    index % 2 === 0 ? `${letters(index)}${long.repeat(38)}${salt}` : `${long.repeat(38)}${salt}${letters(index)}`,
  );
}

async function send({ url, keys }: AttackedServer, method: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const headers = { Authorization: `Bearer ${keys.uploader}`, "Content-Type": "application/json" };
  for (;;) {
    const answer = await fetch(`${url}/api/v1${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const text = await answer.text();
    if (answer.ok) return text === "" ? {} : JSON.parse(text);
    const wait = Number(answer.headers.get("retry-after"));
    if (![429, 503].includes(answer.status) || !wait) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 300)}`);
    await new Promise((resolve) => setTimeout(resolve, wait * 1_000));
  }
}

const change = (server: AttackedServer, settings: object) => send(server, "PATCH", "/alerts/settings", settings);

async function donate(server: AttackedServer, texts: { donatorName: string; message: string }): Promise<string> {
  const { data } = await send(server, "POST", "/donations", { amount: 20, ...texts });
  return (data as { id: string }).id;
}

/** Follows the overlay's stream until the widgets are as wanted. */
async function untilWidgets({ url, keys }: AttackedServer, wanted: (widgets: string) => boolean): Promise<void> {
  const ended = AbortSignal.timeout(60_000);
  const headers = { Authorization: `Bearer ${keys.uploaderOverlay}` };
  const { body } = await fetch(`${url}/api/v1/overlay/stream?player=${randomUUID()}&plays=true`, { headers, signal: ended });
  let text = "";
  for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const blocks = (text + chunk).split("\n\n");
    text = blocks.pop() ?? "";
    if (blocks.some((block) => /^event: (?:snapshot|widgets)$/m.test(block) && wanted(block))) return;
  }
}

/** Donations with the longest texts, and widgets that show them while the words change. */
async function blockWords(server: AttackedServer, salt: string, blockedWordAction: string): Promise<void> {
  await change(server, {
    blockedWords: longWords(salt),
    blockedWordAction,
    goal: { title: long.repeat(60), target: 1, from: "2026-01-01" },
  });
  const texts = (index: number) => ({ donatorName: `${long.repeat(40)}${index}`, message: `${long.repeat(240)}${salt}${index}` });
  const ids = await Promise.all(Array.from({ length: maxDonations }, (_, index) => donate(server, texts(index))));
  await untilWidgets(server, (widgets) => ids.some((id) => widgets.includes(id)) && widgets.includes(salt));
  const hidden = untilWidgets(server, (widgets) => !widgets.includes(salt));
  await change(server, { blockedWords: [...longWords(`${salt}x`, maxWords - 1), salt] });
  await hidden;
  await change(server, { blockedWords: [] });
}

/** Each text once as a name and as a message, with a filter that reads them all. */
async function tellEvilTexts(server: AttackedServer, salt: string): Promise<void> {
  await change(server, { blockedWords: [salt, "สแปม"], blockedWordAction: "mask_word" });
  const started = untilWidgets(server, (widgets) => widgets.includes(salt));
  for (const text of evil) {
    const own = `${[...text].slice(0, 240).join("")}${salt.slice(0, 6)}`;
    await donate(server, { donatorName: [...own].slice(-nameLetters).join(""), message: own });
  }
  await change(server, { blockedWords: [] });
  await donate(server, { donatorName: "last", message: salt });
  await started;
}

/** All variations, with the longest texts, chosen for donations of the last one. */
async function varyAlerts(server: AttackedServer, salt: string): Promise<void> {
  const variations = Array.from({ length: 20 }, (_, index) => ({
    name: long.repeat(60),
    from: index * 1_000,
    template: `${"{name}{amount}".repeat(13)}${long.repeat(10)}`,
    style: { theme: "neon", accentColor: "#27c7a5ff" },
  }));
  await change(server, { variations });
  await Promise.all(evil.slice(0, maxDonations).map((message) => donate(server, { donatorName: salt, message })));
  await untilWidgets(server, (widgets) => widgets.includes(salt));
  await change(server, { variations: [] });
}

/** A history of the longest texts, which is indexed, searched and exported. `count`: donations. */
async function searchHistory(server: AttackedServer, salt: string, count: number): Promise<void> {
  const donations = Array.from({ length: count }, (_, index) => ({
    ...{
      donatorName: long.repeat(nameLetters),
      amount: 1,
      message: `${long.repeat(240)}${salt}`,
      identifier: long.repeat(identifierLetters),
    },
    idempotencyKey: `${salt} ${index}`,
  }));
  for (let from = 0; from < count; from += 250)
    await send(server, "POST", "/donations/batch", { donations: donations.slice(from, from + 250) });
  for (const q of [long.repeat(99), `${long.repeat(90)}${salt}`, `${long.repeat(99)}x`, "\u0390".repeat(100)])
    for (let page = 0; page < 3; page += 1) await send(server, "GET", `/donations/search?q=${encodeURIComponent(q)}`);
}

/** The reports' texts are time zones. The longest name of one is valid, the others are refused. */
async function askForZones(server: AttackedServer): Promise<void> {
  for (const zone of ["America/Argentina/ComodRivadavia", `Etc/${"A".repeat(60)}`, "+".repeat(64), "A/".repeat(32), long.repeat(21)])
    await fetch(`${server.url}/api/v1/donations/stats?timezone=${encodeURIComponent(zone)}`, {
      headers: { Authorization: `Bearer ${server.keys.uploader}` },
    }).then((answer) => answer.arrayBuffer());
}

async function describeWebhooks(server: AttackedServer): Promise<void> {
  const address = (index: number) => `https://a.test/${index}?${"%EF%B7%BA".repeat(220)}`;
  const made = await Promise.all(
    Array.from({ length: 5 }, (_, index) => send(server, "POST", "/webhooks", { url: address(index), description: long.repeat(200) })),
  );
  await donate(server, { donatorName: long.repeat(nameLetters), message: long.repeat(messageLetters) });
  await send(server, "GET", "/webhooks");
  for (const { data } of made) await send(server, "DELETE", `/webhooks/${(data as { id: string }).id}`);
}

export const costlySettings: readonly Attack[] = [
  ...["mask_word", "mask_text", "skip", "hold"].map((action) => ({
    ...withoutWaits(
      `nobody waits for 200 blocked words of 900 letters in the longest texts, with blockedWordAction ${action}`,
      (server, salt) => blockWords(server, salt, action),
    ),
    ...(["mask_text", "skip"].includes(action) && { fullScaleOnly: "two actions suffice" }),
  })),
  withoutWaits("nobody waits for texts that are made for the regular expressions of filter, card and speech", tellEvilTexts),
  withoutWaits("nobody waits for the most variations with the longest names and templates", varyAlerts),
  withoutWaits("nobody waits for a history of the longest texts to be recorded, indexed and searched", (server, salt, scale) =>
    searchHistory(server, salt, byScale(scale, 500, 5_000)),
  ),
  withoutWaits("nobody waits for the longest names of time zones", askForZones),
  withoutWaits("nobody waits for webhooks with the longest texts", describeWebhooks),
];
