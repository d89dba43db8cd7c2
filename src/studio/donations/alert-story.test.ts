import { expect, test } from "vitest";
import type { Donation } from "../components/donation.ts";
import { answer, answerPage, openStudio } from "../testing.ts";
import { donation } from "../testing-examples.ts";
import type { DonationStep } from "./find-story.ts";

const at = Date.parse("2026-11-21T17:30:15Z");
const step = (type: DonationStep["type"], changes: Partial<DonationStep> = {}): DonationStep => ({
  ...{ type, at, reason: null, isReplay: false, decidedBy: null },
  ...changes,
});

async function storyOf(
  steps: readonly DonationStep[],
  alert: Partial<Donation["alert"]> = {},
  language: "th" | "en" = "en",
): Promise<string[]> {
  const one = donation({ alert: { ...donation().alert, ...alert } });
  const studio = openStudio({ answers: { getDonation: answer(one) }, donations: { story: async () => steps } });
  const { html } = await studio.get("/studio/donation?id=d1", language);
  const list = /<ol class="story">(.*?)<\/ol>/s.exec(html)?.[1] ?? "";
  return list
    .split("</li>")
    .map((line) =>
      line
        .replace(/<[^>]+>/g, "")
        .replace(/\s+/g, " ")
        .trim(),
    )
    .filter((line) => line !== "");
}

test("a donation's page tells what happened to its alert, oldest first, with times of the streamer's zone in the reader's language", async () => {
  const steps = [step("alert.held"), step("alert.approved"), step("alert.started"), step("alert.shown")];
  expect(await storyOf(steps)).toEqual([
    expect.stringMatching(/^21 Nov 2026, 10:00:00 Recorded$/),
    "22 Nov 2026, 00:30:15 Held for approval",
    "22 Nov 2026, 00:30:15 Approved",
    "22 Nov 2026, 00:30:15 Started",
    "22 Nov 2026, 00:30:15 Shown to the end",
  ]);
  expect((await storyOf(steps, {}, "th")).at(-1)).toMatch(/2569.*00:30:15 แสดงจนจบ$/);
});

test("the story of an alert names why it was not shown, that it was masked, its replays, and that the donation was voided and erased", async () => {
  const replay = { isReplay: true };
  const steps = [
    ...[step("alert.approved"), step("alert.skipped", { reason: "control" }), step("alert.denied", { reason: "denied" })],
    ...[step("alert.started", replay), step("alert.shown", replay), step("donation.voided"), step("donation.erased")],
  ];
  const words = (await storyOf(steps, { masked: true })).slice(1).map((line) => line.replace(/^22 Nov 2026, 00:30:15 /, ""));
  expect(words).toEqual([
    "Approved, with its amount only",
    "Not shown: Skipped manually",
    "Denied",
    "Replay started",
    "Replay shown to the end",
    "Voided",
    "Name, message and identifier erased",
  ]);
});

test("the story's line of time marks what went well and what kept the alert away, and nothing else", async () => {
  const steps = [step("alert.started"), step("alert.shown"), step("alert.skipped", { reason: "control", isReplay: true })];
  const studio = openStudio({ donations: { story: async () => steps } });
  const { html } = await studio.get("/studio/donation?id=d1");
  const [, list = ""] = /<ol class="story">(.*?)<\/ol>/s.exec(html) ?? [];
  expect(list.match(/<li[^>]*>/g)).toEqual(["<li>", "<li>", '<li class="good">', '<li class="bad">']);
});

test("a donation's replay and its void are buttons beside the title, and a void donation has neither", async () => {
  const head = (html: string) => /<div class="titled"><h1>.*?<p data-here/s.exec(html)?.[0] ?? "";
  const shown = head((await openStudio().get("/studio/donation?id=d1")).html);
  for (const part of ['name="donation" value="d1"', 'class="button danger" href="/studio/void?donation=d1&amp;back=donation"'])
    expect(shown).toContain(part);
  const voided = donation({ voided: { at: "2026-11-21T04:00:00.000Z", reason: "refund" } });
  const after = head((await openStudio({ answers: { getDonation: answer(voided) } }).get("/studio/donation?id=d1")).html);
  for (const part of ['name="donation"', "/studio/void"]) expect(after).not.toContain(part);
});

test("the story of an alert says who approved or denied it, and tells a time-out that let it through, masked it or dropped it", async () => {
  const steps = [
    step("alert.approved", { decidedBy: { is: "streamer" } }),
    step("alert.approved", { decidedBy: { is: "key", name: "Mods <b>" } }),
    step("alert.denied", { reason: "denied", decidedBy: { is: "application", name: "Lamp" } }),
    step("alert.approved", { decidedBy: { is: "nobody", seconds: 60 } }),
    step("alert.skipped", { reason: "timed_out", decidedBy: { is: "nobody", seconds: 60 } }),
    step("alert.skipped", { reason: "timed_out" }),
  ];
  const told = async (alert: Partial<Donation["alert"]>, language: "th" | "en") =>
    (await storyOf(steps, alert, language)).slice(1).map((line) => line.replace(/^.*00:30:15 /, ""));
  expect(await told({}, "en")).toEqual([
    "Approved by you, in the studio",
    "Approved with the key Mods &lt;b&gt;",
    "Denied by the application Lamp",
    "Let through: nobody decided within 60 s",
    "Not shown: nobody decided within 60 s",
    "Not shown: Not approved in time",
  ]);
  expect((await told({ masked: true }, "en"))[3]).toBe("Let through: nobody decided within 60 s, with its amount only");
  expect((await told({}, "th"))[3]).toBe("ปล่อยให้แสดง: ไม่มีใครตัดสินภายใน 60 วินาที");
});

test("an alert that is held is to be approved, on the pages of alerts, history and the donation, and one that waits is waiting", async () => {
  const alert = { status: "queued", reason: null, shownAt: null, masked: false } as const;
  const both = [donation({ id: "d1", alert }), donation({ id: "d2", alert })];
  const answers = { listDonations: answerPage(both), getDonation: answer(both[0]!) };
  const studio = openStudio({ answers, donations: { held: async () => new Set(["d1"]) } });
  for (const path of ["/studio/queue", "/studio/history", "/studio/donation?id=d1"]) {
    const { html } = await studio.get(path);
    expect(html.match(/class="label held">(?:<svg.*?<\/svg>)?To approve</g), path).toHaveLength(1);
    expect(html.match(/class="label queued">(?:<svg.*?<\/svg>)?Waiting</g) ?? [], path).toHaveLength(path.includes("donation?") ? 0 : 1);
  }
});
