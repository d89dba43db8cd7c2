import { expect, test } from "vitest";
import { Problem, problemOf, refusal } from "../../http/problem.ts";
import type { Donation } from "../components/donation.ts";
import { answer, answerPage, openStudio } from "../testing.ts";
import { donation, fault, playback, queue } from "../testing-examples.ts";

const withAnswers = (answers: NonNullable<Parameters<typeof openStudio>[0]>["answers"]) => openStudio({ answers });
const refusing = (code: "alert_state_conflict" | "alert_not_found") => async () => {
  throw problemOf(refusal(code, "no"));
};

test("the alerts page shows what plays, what waits and how many, and the latest donations with their states", async () => {
  const { html } = await withAnswers({
    getAlertQueue: answer(
      queue({ playing: playback({ donatorName: "Anong", status: "playing" }), waiting: [playback()], waitingCount: 7 }),
    ),
    listDonations: answerPage([
      donation({ donatorName: "Prasert", alert: { status: "skipped", reason: "below_minimum", shownAt: null, masked: false } }),
    ]),
  }).get("/studio");
  for (const text of ["Anong", "Malee", "฿250", "สู้ๆ นะ", "7 waiting", "and 6 more", "Prasert", "Below your minimum"])
    expect(html).toContain(text);
});

test("the form of a test alert is folded once something was received, unless what was typed is refused, and the list leads to the history", async () => {
  const isOpen = (html: string) => /<details id="test-form" open>/.test(html);
  expect(isOpen((await openStudio().get("/studio")).html)).toBe(true);
  const sendTestAlert = async () => {
    throw new Problem("validation_failed", "no", { errors: [fault("/amount")] });
  };
  const studio = withAnswers({ listDonations: answerPage([donation()]), sendTestAlert });
  const { html } = await studio.get("/studio");
  expect(isOpen(html)).toBe(false);
  expect(html).toMatch(/<a href="\/studio\/history" aria-label="[^"]*history"/);
  expect(isOpen((await studio.post("/studio/test", { amount: "101" })).html)).toBe(true);
});

test("pages that are not used daily are folded under More, which is marked where one of them is shown", async () => {
  const navOf = (html: string) => /<nav.*?<\/nav>/s.exec(html)?.[0] ?? "";
  const alerts = navOf((await openStudio().get("/studio")).html);
  expect(alerts).toMatch(/href="\/studio\/history".*<details class="more"><summary>.*href="\/studio\/keys".*<\/details>/s);
  const keys = navOf((await openStudio().get("/studio/keys")).html);
  expect(keys).toMatch(/<summary class="holds">.*href="\/studio\/keys" aria-current="page"/s);
});

test.each([
  [{}, "Connected"],
  [{ connected: false }, "No overlay"],
  [{ paused: true, waitingCount: 3 }, "Paused · 3 waiting"],
  [{ heldCount: 2 }, "Connected · 2 to approve"],
  [{ hidden: true, connected: false }, "All hidden"],
  [{ asking: true, paused: true }, "Waits for you"],
])("every page says how alerts stand, and so does what its script refreshes: %j is “%s”", async (state, words) => {
  const studio = openStudio({ queueState: async () => queue(state) });
  const said = (html: string) => /<a id="overall".*?<\/a>/s.exec(html)?.[0].replace(/<[^>]*>/g, "");
  expect(said((await studio.get("/studio/keys")).html)).toBe(words);
  expect(said((await studio.get("/studio/overall")).html)).toBe(words);
});

test("a page is shown without the state of alerts while it can't be read", async () => {
  const studio = openStudio({ queueState: () => Promise.reject(new Error("down")) });
  expect(await studio.get("/studio/keys")).toMatchObject({ status: 200, html: expect.not.stringContaining('id="overall"') });
});

test("names and messages that look like markup are escaped in the alerts page", async () => {
  const bad = `"><script>alert(1)</script>`;
  const both = { donatorName: bad, message: bad };
  const { html } = await withAnswers({
    getAlertQueue: answer(queue({ waiting: [playback(both)] })),
    listDonations: answerPage([donation(both)]),
  }).get("/studio");
  expect(html).not.toContain("<script>");
});

test("the alerts page runs the studio's script file only, and names the address of its live parts", async () => {
  const page = await openStudio().get("/studio");
  expect(page).toMatchObject({ status: 200, scripted: true });
  expect(page.html.match(/<script[^>]*>/g)).toEqual(['<script src="/studio/studio.js" defer>']);
  expect(page.html).toContain('data-source="/studio/queue"');
  expect(await openStudio().get("/studio/studio.js")).toMatchObject({ status: 200, javascript: expect.stringContaining("data-live") });
});

test("the live parts are those of the alerts page, and stay equal while nothing changes", async () => {
  const studio = withAnswers({ getAlertQueue: answer(queue({ waiting: [playback()] })), listDonations: answerPage([donation()]) });
  const page = await studio.get("/studio");
  const { html } = await studio.get("/studio/queue");
  const parts = html.match(/id="live-[a-z]+"/g);
  expect(parts).toHaveLength(12);
  for (const part of parts ?? []) expect(page.html).toContain(part);
  expect((await studio.get("/studio/queue")).html).toBe(html);
  expect(html).not.toContain("sealed");
});

test.each([
  [{ paused: false }, "pause"],
  [{ paused: true }, "resume"],
])("the alerts page of a queue with %j has a button to %s", async (state, control) => {
  const { html } = await withAnswers({ getAlertQueue: answer(queue(state)) }).get("/studio");
  expect(html.match(/name="control" value="(pause|resume)"/)?.[1]).toBe(control);
});

test("the alerts page makes a moderator's link by one button, and leads to the dock", async () => {
  const { html } = await openStudio().get("/studio");
  const card = html.slice(html.indexOf('id="elsewhere"'));
  for (const part of ['action="/studio/keys"', 'name="scope moderate:alerts"', "Create a link", 'href="/studio/dock"'])
    expect(card).toContain(part);
});

test("while alerts that came while OBS was closed wait for a choice, the alerts page says how many, and offers to show or to clear them in place of the pause", async () => {
  const { html } = await withAnswers({ getAlertQueue: answer(queue({ paused: true, asking: true, waitingCount: 60 })) }).get("/studio");
  for (const text of ["60 alerts are waiting", "Waiting for your choice"]) expect(html).toContain(text);
  expect(html).toMatch(/value="resume">.*Show them<.*value="clear">.*Clear them</s);
  expect(html).not.toContain('value="pause"');
  expect((await openStudio().get("/studio")).html).not.toContain("Clear them");
  const one = await withAnswers({ getAlertQueue: answer(queue({ paused: true, asking: true, waitingCount: 1 })) }).get("/studio");
  expect(one.html).toContain("1 alert is waiting");
});

test("the alerts page says that everything is hidden before anything else, and then has the button that ends it in place of the other", async () => {
  const hidden = (await withAnswers({ getAlertQueue: answer(queue({ hidden: true, paused: true })) }).get("/studio")).html;
  expect(hidden).toContain("Everything is hidden");
  expect(hidden.match(/name="control" value="(hide|unhide)"/g)).toEqual(['name="control" value="unhide"']);
  const shown = (await withAnswers({ getAlertQueue: answer(queue()) }).get("/studio")).html;
  expect(shown).not.toContain("Everything is hidden");
  expect(shown.match(/name="control" value="(hide|unhide)"/g)).toEqual(['name="control" value="hide"']);
});

test.each([
  ["pause", "paused", "pauseAlerts"],
  ["resume", "resumed", "resumeAlerts"],
  ["clear", "cleared", "clearAlerts"],
  ["hide", "hidden", "hideAlerts"],
  ["unhide", "unhidden", "unhideAlerts"],
])("the control %s is carried out for the streamer of the session and confirmed by a notice", async (control, note, operation) => {
  const studio = openStudio();
  expect(await studio.post("/studio/control", { control })).toMatchObject({ status: 303, location: `/studio?note=${note}` });
  expect(studio.calls).toEqual([[operation, "somchai's id", {}]]);
  expect((await studio.get(`/studio?note=${note}`)).html).toMatch(/class="right" role="status"/);
});

test("the button Skip names the alert that plays, so that two people who press it at once skip one", async () => {
  const playing = playback({ donationId: "d7", status: "playing" });
  const { html } = await withAnswers({ getAlertQueue: answer(queue({ playing })) }).get("/studio");
  expect(html).toContain('id="skip" form="decide" name="decision" value="skip d7"');
});

test.each([
  ['id="skip"', { playing: playback({ status: "playing" }) }],
  ['value="clear"', { waiting: [playback()] }],
])("the button with %s is off while it has nothing to act on", async (control, state) => {
  const off = new RegExp(`${control} disabled`);
  expect((await openStudio().get("/studio")).html).toMatch(off);
  expect((await withAnswers({ getAlertQueue: answer(queue(state)) }).get("/studio")).html).not.toMatch(off);
});

test("an unknown control is refused, and an unknown notice is not shown", async () => {
  const studio = openStudio();
  await expect(studio.post("/studio/control", { control: "toString" })).rejects.toMatchObject({ code: "validation_failed" });
  expect((await studio.get("/studio?note=toString")).html).not.toMatch(/class="(right|wrong)" role="status">/);
  expect(studio.calls).toEqual([]);
});

test("a donation has a replay button unless its alert waits or plays", async () => {
  const states = ["preparing", "queued", "leased", "playing", "shown", "skipped", "expired", "unconfirmed"] as const;
  const latest = states.map((status) => donation({ id: status, alert: { status, reason: null, shownAt: null, masked: false } }));
  const studio = withAnswers({ listDonations: answerPage(latest) });
  const { html } = await studio.get("/studio");
  expect([...html.matchAll(/name="donation" value="([^"]+)"/g)].map(([, id]) => id)).toEqual([
    "shown",
    "skipped",
    "expired",
    "unconfirmed",
  ]);
  expect((await studio.post("/studio/replay", { donation: "shown" })).location).toBe("/studio?note=replayed");
  expect(studio.calls).toEqual([["replayAlert", "somchai's id", { path: { donationId: "shown" } }]]);
});

test("the alerts page asks for the latest donations by createdAt, void ones included, so that an imported donation of long ago is not among them", async () => {
  const asked: unknown[] = [];
  const listDonations = async ({ query }: { query?: unknown }) => {
    asked.push(query);
    return answerPage<Donation>([])();
  };
  await withAnswers({ listDonations }).get("/studio");
  expect(asked).toEqual([{ sort: "-createdAt", source: ["external", "native", "test"], status: "all", limit: 5 }]);
});

test("without a connected overlay the alerts page links to the OBS links", async () => {
  const link = 'href="/studio/overlay">Add your alert link';
  expect((await withAnswers({ getAlertQueue: answer(queue({ connected: false })) }).get("/studio")).html).toContain(link);
  expect((await openStudio().get("/studio")).html).not.toContain(link);
});

test("the test alert form starts with the contract's defaults", async () => {
  const { html } = await openStudio().get("/studio");
  for (const value of ["Namjai", "100", "ทดสอบการแจ้งเตือน"]) expect(html).toContain(`value="${value}"`);
});

test("a test alert is sent with the typed values", async () => {
  const studio = openStudio();
  const typed = { donatorName: "Tester", amount: "1,250.50", message: "ทดสอบ" };
  expect((await studio.post("/studio/test", typed)).location).toBe("/studio?note=test");
  expect(studio.calls).toEqual([["sendTestAlert", "somchai's id", { body: { ...typed, amount: 1250.5 } }]]);
});

test("a value that the contract refuses is explained beside its field in the language of the page, and the typed values are kept", async () => {
  const sendTestAlert = async () => {
    throw new Problem("validation_failed", "no", { errors: [fault("/amount", "out_of_range", "must be greater than 0")] });
  };
  const studio = withAnswers({ sendTestAlert });
  const typed = { donatorName: "A & B", amount: "-5", message: "m" };
  const answer = await studio.post("/studio/test", typed);
  expect(answer.status).toBe(400);
  expect(answer.html).toContain('value="A &amp; B"');
  expect(answer.html).toMatch(
    /id="field-amount" name="amount" aria-invalid="true" aria-describedby="field-amount-hint field-amount-fault" value="-5"/,
  );
  expect(answer.html).toContain("<p>Must be greater than 0.</p>");
  expect((await studio.post("/studio/test", typed, "th")).html).toContain("<p>ต้องมากกว่า 0 และไม่เกิน 1,000,000</p>");
});

test("the alerts page dates the latest donations by createdAt, not by when they were received", async () => {
  const imported = donation({ createdAt: "2020-03-04T05:06:00.000Z", receivedAt: "2026-11-21T03:00:00.000Z" });
  const { html } = await withAnswers({ listDonations: answerPage([imported]) }).get("/studio");
  expect(html).toContain('datetime="2020-03-04T05:06:00.000Z"');
  expect(html).not.toContain(imported.receivedAt);
});

const held = {
  ...{ donationId: "d7", donatorName: "Malee", amount: 250, currency: "THB" as const, message: "สู้ๆ", source: "external" as const },
  ...{ heldAt: "2026-11-21T03:00:00.000Z", decidesAt: "2026-11-21T03:02:00.000Z" },
};

test("the alerts page lists held alerts with a button for each decision, and nothing of them while none is held", async () => {
  const { html } = await withAnswers({ getAlertQueue: answer(queue({ held: [held], heldCount: 3 })) }).get("/studio");
  expect(html.match(/name="decision" value="[^"]*"/g)).toEqual(
    ["approve d7", "mask d7", "deny d7"].map((value) => `name="decision" value="${value}"`),
  );
  for (const text of ["3 to approve", "and 2 more", "สู้ๆ"]) expect(html).toContain(text);
  expect((await openStudio().get("/studio")).html).not.toContain('name="decision"');
});

test.each([
  ["approve", "approved", "approveAlert"],
  ["mask", "masked", "maskAlert"],
  ["deny", "denied", "denyAlert"],
  ["skip", "skipped-one", "skipOneAlert"],
  ["next", "put-next", "playAlertNext"],
])("the decision %s about a single alert is carried out and confirmed by a notice", async (decision, note, operation) => {
  const studio = openStudio();
  expect(await studio.post("/studio/decide", { decision: `${decision} d7` })).toMatchObject({
    status: 303,
    location: `/studio?note=${note}`,
  });
  expect(studio.calls).toEqual([[operation, "somchai's id", { path: { donationId: "d7" } }]]);
});

test("each waiting alert has a button that skips it, and each but the first one that plays it next", async () => {
  const waiting = ["a", "b", "c"].map((donationId) => playback({ donationId, donatorName: `<${donationId}>` }));
  const { html } = await withAnswers({ getAlertQueue: answer(queue({ waiting })) }).get("/studio");
  const buttons = [...html.matchAll(/<button[^>]* form="decide" name="decision" value="([^"]*)" aria-label="([^"]*)"/g)];
  expect(buttons.map(([, value]) => value)).toEqual(["skip a", "next b", "skip b", "next c", "skip c"]);
  expect(buttons[1]?.[2]).toBe("Play next: &lt;b&gt;");
});

test("a decision that comes too late is told, and an unknown one is refused", async () => {
  const late = (code: "alert_state_conflict" | "alert_not_found", decision = "approve") =>
    withAnswers({
      ...{ approveAlert: refusing(code), skipOneAlert: refusing(code), playAlertNext: refusing(code) },
    }).post("/studio/decide", { decision: `${decision} d7` });
  expect(await late("alert_state_conflict", "skip")).toMatchObject({ location: "/studio?note=over-already" });
  expect(await late("alert_state_conflict", "next")).toMatchObject({ location: "/studio?note=waits-no-more" });
  expect(await late("alert_state_conflict")).toMatchObject({ location: "/studio?note=decided-already" });
  expect(await late("alert_not_found")).toMatchObject({ location: "/studio?note=no-donation" });
  await expect(openStudio().post("/studio/decide", { decision: "toString d7" })).rejects.toMatchObject({ code: "validation_failed" });
});
