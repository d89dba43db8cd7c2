import { expect, test } from "vitest";
import { openStudio, somchai } from "../testing.ts";

const typed = { current: "old password", next: "a fresh secret", repeated: "a fresh secret" };

test("the account page lists the sessions, marks this one, and names the rule of passwords", async () => {
  const sessions = async () => [
    {
      id: "a1",
      browser: "<b>Chrome",
      createdAt: new Date("2026-11-21T02:00:00Z"),
      lastUsedAt: new Date("2026-11-21T02:59:00Z"),
      isThis: true,
    },
    { id: "b2", browser: null, createdAt: new Date("2026-11-20T20:00:00Z"), lastUsedAt: new Date("2026-11-20T21:00:00Z"), isThis: false },
  ];
  const { html } = await openStudio({ selfService: { sessions } }).get("/studio/account");
  for (const text of ["21 Nov 2026, 09:00", "21 Nov 2026, 04:00", "8 to 1,024 characters"]) expect(html).toContain(text);
  expect(html.match(/This browser/g)).toHaveLength(1);
  expect(html).not.toContain(somchai.sessionKey);
  for (const text of ["&lt;b&gt;Chrome", "Unknown browser"]) expect(html).toContain(text);
  expect(
    [...html.matchAll(/name="session" value="([^"]+)"/g)].map(([, id]) => id),
    "this browser has the button above",
  ).toEqual(["b2"]);
});

test.each([
  [true, "session-ended", "That browser is logged out."],
  [false, "no-session", "That browser was logged out already."],
])("another browser is logged out by its button, and the page says what became of it: %s", async (isEnded, note, words) => {
  const ended: unknown[] = [];
  const endSession = async (...asked: unknown[]) => {
    ended.push(asked);
    return isEnded;
  };
  const studio = openStudio({ selfService: { endSession } });
  expect((await studio.post("/studio/account/session", { session: "b2" })).location).toBe(`/studio/account?note=${note}`);
  expect(ended).toEqual([["somchai's id", "b2"]]);
  expect((await studio.get(`/studio/account?note=${note}`)).html).toContain(words);
});

test("the account page shows what was tried: when, how often, from which networks and browsers, in both languages", async () => {
  const failed = { at: new Date("2026-11-21T02:00:00Z"), attempts: 1_240, networks: 7, from: ["192.0.2.1", "2001:db8:0:1::/64"] };
  const failedLogins = async () => [
    { ...failed, browsers: ["<b>curl", "Chrome, Windows"] },
    { ...failed, attempts: 1, networks: 3 },
  ];
  const { html } = await openStudio({ selfService: { failedLogins } }).get("/studio/account");
  for (const text of [
    "Failed logins",
    "21 Nov 2026, 09:00",
    "1,240 attempts",
    "1 attempt<",
    "192.0.2.1, 2001:db8:0:1::/64",
    "and 5 more networks",
    "and 1 more network<",
  ])
    expect(html).toContain(text);
  expect(html).toContain("&lt;b&gt;curl; Chrome, Windows");
  expect((await openStudio().get("/studio/account")).html).not.toContain("Failed logins");
});

test("a password is changed with the old one, and the page confirms it", async () => {
  const studio = openStudio();
  expect((await studio.post("/studio/account/password", typed)).location).toBe("/studio/account?note=password-changed");
  expect(studio.calls).toEqual([
    [
      "changePassword",
      { account: expect.objectContaining(somchai), current: "old password", next: "a fresh secret", address: "", cookie: undefined },
    ],
  ]);
  expect((await studio.get("/studio/account?note=password-changed")).html).toContain("Password changed.");
});

test.each([
  ["no old password", { current: "" }, "current", "Is required."],
  ["a short password", { next: "short", repeated: "short" }, "next", "Must have 8 to 1,024 characters."],
  ["a password of seven emoji", { next: "😀".repeat(7), repeated: "😀".repeat(7) }, "next", "Must have 8 to 1,024 characters."],
  ["a long password", { next: "x".repeat(1_025), repeated: "x".repeat(1_025) }, "next", "Must have 8 to 1,024 characters."],
  ["another repetition", { repeated: "a fresh secrets" }, "repeated", "Must be the same as the new password."],
])("a change of the password with %s is refused beside its field, and shows no password again", async (_title, change, field, words) => {
  const studio = openStudio();
  const { status, html } = await studio.post("/studio/account/password", { ...typed, ...change });
  expect(status).toBe(400);
  expect(html).toMatch(new RegExp(`id="field-${field}-fault"><p>${words}`));
  for (const secret of ["old password", "a fresh secret"]) expect(html).not.toContain(secret);
  expect(studio.calls).toEqual([]);
});

test.each([
  [{ is: "wrong" } as const, 403, "The current password is wrong.", undefined],
  [{ is: "tooMany", seconds: 90 } as const, 429, "Too many attempts. Try again in 2 min.", 90],
])("a change of the password that ends as %j answers %i", async (outcome, status, words, retryAfter) => {
  const answer = await openStudio({ selfService: { changePassword: async () => outcome } }).post("/studio/account/password", typed);
  expect(answer).toMatchObject({ status, ...(retryAfter && { retryAfter }) });
  expect(answer.html).toMatch(new RegExp(`id="field-current-fault"><p>${words}`));
});

test("logging out everywhere ends every session and leads to the login", async () => {
  const studio = openStudio();
  expect((await studio.post("/studio/account/sessions")).location).toBe("/oauth/login?everywhere");
  expect(studio.calls).toEqual([["endSessions", "somchai's id"]]);
});

test("time zone and language are saved, the language for this browser at once", async () => {
  const studio = openStudio();
  const answer = await studio.post("/studio/account/preferences", { timeZone: "Europe/Berlin", preferred: "en" });
  expect(answer.location).toBe("/studio/account?note=saved");
  expect(answer.cookies).toEqual([expect.stringMatching(/^namjai_language=en; /)]);
  expect(studio.calls).toEqual([["savePreferences", "somchai's id", { timeZone: "Europe/Berlin", language: "en" }]]);
});

test.each([
  { timeZone: "Mars/Base", preferred: "en" },
  { timeZone: "+07:00", preferred: "en" },
  { timeZone: "UTC", preferred: "fr" },
  { timeZone: "" },
] as Record<string, string>[])("preferences that the page does not offer are refused: %j", async (fields) => {
  const studio = openStudio();
  expect((await studio.post("/studio/account/preferences", fields)).location).toBe("/studio/account?note=no-preference");
  expect(studio.calls).toEqual([]);
});

test("the account page chooses what was saved, and before that what the page is shown in", async () => {
  const chosen = (html: string) => [...html.matchAll(/<option value="([^"]+)" selected>/g)].map(([, value]) => value);
  expect(chosen((await openStudio().get("/studio/account")).html)).toEqual(["Asia/Bangkok", "en"]);
  const saved = { preferences: async () => ({ timeZone: "Asia/Tokyo", language: "th" as const }) };
  expect(chosen((await openStudio({ selfService: saved }).get("/studio/account")).html)).toEqual(["Asia/Tokyo", "th"]);
});
