import { expect, test } from "vitest";
import { answer, answerPage, exampleOf, openStudio } from "../testing.ts";
import { apiKey, donation, playback, queue, settings } from "../testing-examples.ts";

const used = {
  id: "o1",
  publicId: "Ab",
  name: "OBS",
  createdAt: new Date(0),
  lastUsedAt: new Date(0),
  widget: null,
  sound: "leader",
} as const;

test("the home page shows today, this week and this month, each against the span before, and not the total of all time", async () => {
  const { periods, ...stats } = exampleOf("DonationStats");
  const getDonationStats = async ({ query: { from } = {} }: { query?: Record<string, unknown> }) => {
    const total = String(from).includes("T") ? 100 : 0;
    return { body: { data: { ...stats, total, periods: { ...periods, today: { ...periods.today, total: 150 } } } } };
  };
  const { html } = await openStudio({ answers: { getDonationStats } }).get("/studio/home");
  for (const words of ["Today", "This week", "This month", "฿150", "+50%"]) expect(html).toContain(words);
  expect(html).not.toContain("All time");
});

test("alerts that wait for approval come before the first steps, the figures and the rest of the home page", async () => {
  const { playbackId: _, status: __, replay: ___, masked: ____, ...alert } = playback();
  const held = [{ ...alert, heldAt: "2026-11-21T03:00:00.000Z", decidesAt: "2026-11-21T03:02:00.000Z" }];
  const { html } = await openStudio({ answers: { getAlertQueue: answer(queue({ held, heldCount: 1 })) } }).get("/studio/home");
  expect(html).toMatch(/value="approve d1".*id="live-steps".*id="live-periods".*id="live-latest".*id="live-status"/s);
});

test("the home page lists the latest donations, void ones struck out, each as a link to its page", async () => {
  const voided = { at: "2026-11-21T04:00:00.000Z", reason: "refund" } as const;
  const latest = answerPage([donation({ id: "d1" }), donation({ id: "d2", voided, donatorName: "<b>" })]);
  const { html } = await openStudio({ answers: { listDonations: latest } }).get("/studio/home");
  for (const part of ['id="row-d1" href="/studio/donation?id=d1"', "<s>฿250</s>", "Void: Refunded", "&lt;b&gt;"])
    expect(html).toContain(part);
});

test("alerts that are held and that wait can be decided about on the home page, which the forms lead back to", async () => {
  const waiting = [playback(), playback({ donationId: "d2", playbackId: "p2" })];
  const studio = openStudio({ answers: { getAlertQueue: answer(queue({ waiting })) } });
  const { html } = await studio.get("/studio/home");
  for (const value of ["skip d1", "next d2"]) expect(html).toContain(`form="decide" name="decision" value="${value}"`);
  expect((await studio.post("/studio/decide", { decision: "skip d1", back: "home" })).location).toBe("/studio/home?note=skipped-one");
  expect((await studio.post("/studio/control", { control: "pause", back: "home" })).location).toBe("/studio/home?note=paused");
});

test.each([
  ["drop", "Not shown at"],
  ["show", "Shown at"],
  ["mask", "Shown with its amount only at"],
] as const)("a held alert says what happens to it and when, if nobody decides: %s", async (onTimeout, words) => {
  const times = { heldAt: "2026-11-21T03:00:00.000Z", decidesAt: "2026-11-21T03:02:00.000Z" };
  const { playbackId: _, status: __, replay: ___, masked: ____, ...alert } = playback();
  const answers = {
    getAlertQueue: answer(queue({ held: [{ ...alert, ...times }], heldCount: 1 })),
    getAlertSettings: answer({ ...settings, onTimeout }),
  };
  for (const path of ["/studio/home", "/studio", "/studio/dock"]) {
    const { html } = await openStudio({ answers }).get(path);
    expect(html.replace(/<[^>]+>/g, ""), path).toContain(`${words} 21 Nov, 10:02:00`);
    expect(html).toContain('data-until="2026-11-21T03:02:00.000Z"');
  }
});

test("the home page's live parts are the same as those of the page, for its script", async () => {
  const studio = openStudio();
  const [page, now] = [(await studio.get("/studio/home")).html, (await studio.get("/studio/home/now")).html];
  const idsIn = (text: string) => [...text.matchAll(/id="(live-\w+)" data-live/g)].map(([, id]) => id).sort();
  expect(idsIn(page)).toContain("live-periods");
  for (const id of idsIn(page)) expect(idsIn(now), id).toContain(id);
});

test("without donations the home page says that they will show up here", async () => {
  const { html } = await openStudio({ answers: { listDonations: answerPage([]) } }).get("/studio/home");
  expect(html).toContain("No donations yet");
});

const ticked = (html: string) => [...html.matchAll(/<li class="done">.*?id="step-(\w+)"/gs)].map(([, name]) => name);
const plain = {
  answers: {
    listDonations: answerPage([]),
    getAlertQueue: answer(queue({ connected: false })),
    getAlertSettings: answer({ ...settings, speechMinimumAmount: 0 }),
  },
  imports: { list: async () => [] },
};

test("a new streamer is shown six first steps, none of them ticked", async () => {
  const { html } = await openStudio(plain).get("/studio/home");
  expect(html.match(/id="step-/g)).toHaveLength(6);
  expect(ticked(html)).toEqual([]);
  expect(html).toContain("0 of 6 done");
});

const answering = (answers: object) => ({ answers: { ...plain.answers, ...answers } });

test.each([
  ["overlay", { overlayKeys: { list: async () => [used] } }],
  ["overlay", answering({ getAlertQueue: answer(queue({ connected: true })) })],
  ["test", answering({ listDonations: answerPage([donation({ source: "test" })]) })],
  ["design", answering({ getAlertSettings: answer({ ...settings, speechMinimumAmount: 0, variations: [{}] }) })],
  ["speech", answering({ getAlertSettings: answer({ ...settings, speechMinimumAmount: 50 }) })],
  ["key", { apiKeys: { list: async () => [apiKey()] } }],
  ["past", { imports: {} }],
])("the first step %s ticks itself, and no other", async (step, changes) => {
  const { html } = await openStudio({ ...plain, ...changes }).get("/studio/home");
  expect(ticked(html)).toEqual([step]);
});

test("the list of first steps goes for good when all are taken, and when the streamer hides it", async () => {
  const answers = { getAlertSettings: answer({ ...settings, variations: [{} as never] }), listDonations: answerPage([donation()]) };
  const studio = openStudio({ answers, overlayKeys: { list: async () => [used] }, apiKeys: { list: async () => [apiKey()] } });
  expect((await studio.get("/studio/home")).html).not.toContain('id="first"');
  expect(studio.calls).toEqual([["endFirstSteps", "somchai's id"]]);
  const other = openStudio();
  expect((await other.post("/studio/home/steps")).location).toBe("/studio/home");
  expect(other.calls).toEqual([["endFirstSteps", "somchai's id"]]);
  expect((await openStudio({ firstSteps: { areOver: async () => true } }).get("/studio/home")).html).not.toContain('id="first"');
});
