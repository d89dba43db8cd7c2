import { Readable } from "node:stream";
import { expect, test, vi } from "vitest";
import { Problem, problemOf, refusal } from "../../http/problem.ts";
import { writeFor } from "../../ui/reader.ts";
import { answer, answerPage, exampleOf, openStudio } from "../testing.ts";
import { donation } from "../testing-examples.ts";

const found = (changes: object = {}) => ({
  data: [donation({ id: "d1" })],
  pagination: { nextCursor: "NEXT", hasMore: true, limit: 20 },
  ...changes,
});

test("the history lists the latest donations by createdAt, each with a link to its page, and leads to older ones", async () => {
  const studio = openStudio({ answers: { listDonations: async () => ({ body: found() }) } });
  const { html } = await studio.get("/studio/history");
  for (const part of ['href="/studio/donation?id=d1"', "/studio/history?cursor=NEXT", "/studio/history/export"])
    expect(html).toContain(part);
  expect(html).not.toContain("Latest</span>");
});

test("filters are passed to the contract's operation as its parameters, empty ones left out, numbers as people type them", async () => {
  const asked: unknown[] = [];
  const note = (id: string) => async (call: { query?: unknown }, streamerId: string) => {
    asked.push([id, streamerId, call.query]);
    return { body: found() };
  };
  const studio = openStudio({ answers: { listDonations: note("list"), searchDonations: note("search") } });
  await studio.get("/studio/history?from=2026-11-01&to=&minAmount=1,000&channel=card&source=all&status=voided&identifier=line:1");
  await studio.get("/studio/history?q=%20malee%20&maxAmount=%E0%B9%95%E0%B9%90");
  expect(asked).toEqual([
    [
      "list",
      "somchai's id",
      {
        ...{ from: "2026-11-01", minAmount: 1000, channel: ["card"], source: ["external", "native", "test"] },
        ...{ status: "voided", identifier: "line:1", timezone: "Asia/Bangkok", limit: 20, sort: "-createdAt" },
      },
    ],
    ["search", "somchai's id", { q: "malee", maxAmount: 50, timezone: "Asia/Bangkok", limit: 20 }],
  ]);
});

test("a filter at fault is named at its field, with what was typed, and nothing is listed", async () => {
  const listDonations = async () => {
    const message = "must be a day or an instant";
    throw new Problem("validation_failed", "no", { errors: [{ parameter: "from", code: "invalid_format", message }] });
  };
  const { status, html } = await openStudio({ answers: { listDonations } }).get("/studio/history?from=2026-02-30");
  expect(status).toBe(400);
  for (const part of ['id="field-from-fault"', 'value="2026-02-30"', "<details open>"]) expect(html).toContain(part);
  expect(html).not.toContain('id="found"');
});

test("each filter that is set is a chip in words, which leads to the history without it, and one link clears all", async () => {
  const { html } = await openStudio().get("/studio/history?q=%3Cb%3E&from=2026-11-01&channel=card&status=voided");
  const chips = /<ul class="chips".*?<\/ul>/s.exec(html)?.[0] ?? "";
  for (const words of ["&lt;b&gt;", "1 November 2026", "Channel: Card", "Status: Void"])
    expect(chips.replace(/<[^>]+>/g, "")).toContain(words);
  expect(chips).toContain('href="/studio/history?q=%3Cb%3E&amp;from=2026-11-01&amp;status=voided"');
  expect(chips).toContain('href="/studio/history"');
  expect((await openStudio().get("/studio/history")).html).not.toContain('class="chips"');
});

test("the days of filters are the same for a reader whose clocks are 14 hours ahead of UTC", async () => {
  const { html } = await writeFor({ timeZone: "Pacific/Kiritimati" }, () => openStudio().get("/studio/history?from=2026-11-01"));
  expect(html).toContain("From: 1 November 2026");
});

test.each([
  ["2026-11-01T00:00:00Z", 200],
  ["1", 400],
])("a filter from %s, which is no day, is a chip as it was typed", async (from, status) => {
  const reply = await openStudio().get(`/studio/history?from=${from}`);
  expect(reply.status).toBe(status);
  expect(reply.html).toContain(`From: <bdi>${from}</bdi>`);
});

test("a search without days has links to the days of this month and of the last one", async () => {
  vi.useFakeTimers({ now: Date.parse("2027-01-31T20:00:00Z"), toFake: ["Date"] }); // the reader's February
  try {
    const { html } = await openStudio().get("/studio/history?q=Nyan");
    expect(html).toContain('href="/studio/history?q=Nyan&amp;from=2027-02-01&amp;to=2027-02-28">This month<');
    expect(html).toContain('href="/studio/history?q=Nyan&amp;from=2027-01-01&amp;to=2027-01-31">Last month<');
    expect((await openStudio().get("/studio/history?from=2027-01-05")).html).not.toContain("Last month");
  } finally {
    vi.useRealTimers();
  }
});

test("a cursor that is no longer good leads to the first page with the same filters", async () => {
  const listDonations = async () => {
    throw new Problem("invalid_cursor", "no");
  };
  const { location } = await openStudio({ answers: { listDonations } }).get("/studio/history?channel=card&cursor=old");
  expect(location).toBe("/studio/history?channel=card");
});

const breakdown = { ...exampleOf("ChannelBreakdown"), total: 5_500, count: 12 };
const sumIn = (html: string) => /<p id="sum"[^>]*>(.*?)<\/p>/s.exec(html)?.[1] ?? "";

test("number and sum of days, sources and a channel come from the roll-ups, however many pages there are", async () => {
  const asked: unknown[] = [];
  const getChannelBreakdown = async ({ query }: { query?: unknown }) => {
    asked.push(query);
    return { body: { data: breakdown } };
  };
  const studio = openStudio({ answers: { getChannelBreakdown, listDonations: answerPage([donation()], "NEXT") } });
  const { html } = await studio.get("/studio/history?from=2026-11-01&to=2026-11-30&source=all&cursor=C");
  for (const part of ["฿5,500", "12 donations"]) expect(sumIn(html)).toContain(part);
  const [share] = breakdown.channels;
  const ofChannel = await studio.get(`/studio/history?channel=${share?.channel}`);
  expect(sumIn(ofChannel.html)).toContain(`${share?.count} donation`);
  const timezone = "Asia/Bangkok";
  expect(asked).toEqual([{ timezone, from: "2026-11-01", to: "2026-11-30", source: ["external", "native", "test"] }, { timezone }]);
});

test("the days of the history's list, its sum and its export are those of the reader's time zone", async () => {
  const asked: unknown[] = [];
  const note = ({ query }: { query?: Record<string, unknown> }) => asked.push([query?.["timezone"], query?.["from"]]);
  const studio = openStudio({
    answers: {
      getChannelBreakdown: async (call) => {
        note(call);
        return { body: { data: breakdown } };
      },
      listDonations: async (call) => {
        note(call);
        return { body: found() };
      },
      exportDonations: async (call) => {
        note(call);
        return { type: "application/x", headers: {}, body: Readable.from([]) } as never;
      },
    },
  });
  await writeFor({ timeZone: "America/New_York" }, async () => {
    await studio.get("/studio/history?from=2026-11-01");
    await studio.get("/studio/history/export?from=2026-11-01");
  });
  expect(asked).toEqual(Array(3).fill(["America/New_York", "2026-11-01"]));
});

test("number and sum of a text or another filter are added up step by step: the page has the first step, and where it goes on", async () => {
  const steps: unknown[] = [];
  const sum = async (...step: unknown[]) => {
    steps.push(step);
    return { count: 2_000, total: 1_234.5, voided: { count: 1, total: 5 }, next: "S2" };
  };
  const studio = openStudio({ donations: { sum } });
  const line = sumIn((await studio.get("/studio/history?q=malee&status=all&cursor=C&trail=-&sum=S1")).html);
  for (const part of ["At least <strong>฿1,234.50</strong> 2,000 donations", "Without 1 void, ฿5."]) expect(line).toContain(part);
  const filters = "q=malee&amp;status=all&amp;cursor=C&amp;trail=-&amp;sum=S2";
  expect(line).toContain(`href="/studio/history?${filters}" data-sums="/studio/history/sum?${filters}"`);
  expect((await studio.get("/studio/history?q=malee", "th")).html).toContain("อย่างน้อย <strong>");
  for (const query of ["status=all", "status=voided", "minAmount=5", "maxAmount=5", "identifier=x"]) {
    steps.length = 0;
    expect(sumIn((await studio.get(`/studio/history?${query}`)).html), query).toContain("At least");
    expect(steps).toMatchObject([["somchai's id", { timezone: "Asia/Bangkok" }, null]]);
  }
  steps.length = 0;
  const part = (await studio.get("/studio/history/sum?q=malee&status=all&sum=S2")).html;
  expect([part.startsWith('<p id="sum"'), steps]).toEqual([
    true,
    [["somchai's id", { q: "malee", status: "all", timezone: "Asia/Bangkok" }, "S2"]],
  ]);
});

test("a sum that is complete has no way on, and one that can't be continued begins again", async () => {
  expect(sumIn((await openStudio().get("/studio/history?q=malee")).html)).toBe("<strong>฿750</strong> 3 donations");
  const sum = async () => {
    throw new Problem("invalid_cursor", "no");
  };
  const studio = openStudio({ donations: { sum } });
  for (const path of ["/studio/history", "/studio/history/sum"])
    expect((await studio.get(`${path}?q=malee&sum=forged`)).location).toBe("/studio/history?q=malee");
});

test("links of older pages of the history lead back one by one, with the same filters", async () => {
  const studio = openStudio({ answers: { listDonations: answerPage([donation()], "NEXT") } });
  const linkTo = (html: string, name: string) => new RegExp(`href="([^"]*)">[^<]*${name}<`).exec(html)?.[1]?.replaceAll("&amp;", "&") ?? "";
  let address = "/studio/history?channel=card";
  expect(linkTo((await studio.get(address)).html, "Newer")).toBe("");
  for (const trail of ["-", "-.NEXT", "-.NEXT.NEXT"]) {
    address = linkTo((await studio.get(address)).html, "Older");
    expect(address).toBe(`/studio/history?channel=card&cursor=NEXT&trail=${trail}`);
  }
  for (const back of ["cursor=NEXT&trail=-.NEXT", "cursor=NEXT&trail=-", ""]) {
    address = linkTo((await studio.get(address)).html, "Newer");
    expect(address).toBe(`/studio/history?channel=card${back && `&${back}`}`);
  }
  const long = await studio.get(`/studio/history?cursor=C&trail=${Array(9).fill("X").join(".")}`);
  expect(linkTo(long.html, "Older")).toBe("/studio/history?cursor=NEXT&trail=X.X.X.X.X.C");
});

test("the export has the filters of the page, its text search and its language", async () => {
  const asked: unknown[] = [];
  const exportDonations = async ({ query }: { query?: unknown }) => {
    asked.push(query);
    return { type: "application/x", headers: {}, body: Readable.from([]) } as never;
  };
  const studio = openStudio({ answers: { exportDonations } });
  expect(await studio.get("/studio/history/export?channel=card")).toMatchObject({ status: 200, file: { type: "application/x" } });
  const all = { timezone: "Asia/Bangkok", sort: "-createdAt" };
  expect(asked).toEqual([{ channel: ["card"], ...all, language: "en" }]);
  await studio.get("/studio/history/export?q=malee", "th");
  expect(asked[1]).toEqual({ q: "malee", ...all, language: "th" });
  const more = openStudio({ answers: { searchDonations: answerPage([donation()], "NEXT") } });
  const searched = (await more.get("/studio/history?q=malee")).html;
  expect(searched).toContain('href="/studio/history/export?q=malee"');
});

test("a donation's page shows what is known of it, and leads to its replay, its void and the donator's other donations", async () => {
  const one = donation({ id: "d1", identifier: "line:1", receivedAt: "2026-11-22T03:00:00.000Z" });
  const { html } = await openStudio({ answers: { getDonation: answer(one) } }).get("/studio/donation?id=d1");
  for (const part of ["Malee", "฿250", "Shown", "Recorded", "/studio/donator?identifier=line%3A1"]) expect(html).toContain(part);
  for (const part of ['name="donation" value="d1"', "/studio/void?donation=d1"]) expect(html).toContain(part);
});

test("the page of a void donation says why, with the note, and offers neither replay nor void", async () => {
  const voided = { at: "2026-11-21T04:00:00.000Z", reason: "chargeback" } as const;
  const donations = { voidNotes: async () => new Map([["d1", "Case 4711"]]) };
  const { html } = await openStudio({ answers: { getDonation: answer(donation({ id: "d1", voided })) }, donations }).get(
    "/studio/donation?id=d1",
  );
  for (const part of ["Void: Chargeback", "Case 4711"]) expect(html).toContain(part);
  for (const part of ["/studio/void?", "/studio/replay"]) expect(html).not.toContain(part);
});

test("a donation that is not the streamer's is not found", async () => {
  const answers = {
    getDonation: async () => {
      throw problemOf(refusal("donation_not_found", "no"));
    },
  };
  expect((await openStudio({ answers }).get("/studio/donation?id=x")).location).toBe("/studio?note=no-donation");
});

test("days or amounts in reversed order are named at their field, and the export leads back there", async () => {
  const reversed = async () => {
    const errors = [
      { parameter: "to", code: "out_of_range" as const, message: "must be after from" },
      { parameter: "maxAmount", code: "out_of_range" as const, message: "must not be below minAmount" },
    ];
    throw new Problem("invalid_range", "no", { errors });
  };
  const studio = openStudio({ answers: { listDonations: reversed, exportDonations: reversed } });
  const { status, html } = await studio.get("/studio/history?from=2026-11-20&to=2026-11-01&minAmount=5&maxAmount=1");
  expect(status).toBe(400);
  for (const part of ['value="2026-11-20"', "Must be a day, and not before the first one.", "Must not be below the smallest amount."])
    expect(html).toContain(part);
  expect((await studio.get("/studio/history/export?to=2026-11-01")).location).toBe("/studio/history?to=2026-11-01");
});

test("a void and a replay from a donation's page lead back to it, with what became of them", async () => {
  const studio = openStudio();
  expect((await studio.get("/studio/donation?id=d1")).html).toContain("/studio/void?donation=d1&amp;back=donation");
  const back = { donation: "d1", back: "donation" };
  expect((await studio.post("/studio/void", { ...back, reason: "fraud" })).location).toBe("/studio/donation?id=d1&note=voided");
  expect((await studio.post("/studio/replay", back)).location).toBe("/studio/donation?id=d1&note=replayed");
  expect((await studio.post("/studio/replay", { donation: "d1", back: "https://evil.example" })).location).toBe("/studio?note=replayed");
  expect((await studio.get("/studio/donation?id=d1&note=voided")).html).toContain("Donation voided");
});

test("a donation whose alert was masked is listed as shown with its amount only, on the pages of history, alerts and the donation", async () => {
  const masked = donation({ alert: { status: "shown", reason: null, shownAt: "2026-11-21T03:00:00.000Z", masked: true } });
  const listDonations = ({ query }: { query?: Record<string, unknown> }) =>
    answerPage(query?.["limit"] === 5 ? [masked] : [masked, donation()])();
  const studio = openStudio({ answers: { listDonations, getDonation: answer(masked) } });
  for (const path of ["/studio/history", "/studio", "/studio/donation?id=d1"]) {
    const { html } = await studio.get(path);
    expect(html.match(/>Shown<.*?>Amount only</gs), path).toHaveLength(1);
  }
  expect((await openStudio().get("/studio/history")).html).not.toContain("Amount only");
});
