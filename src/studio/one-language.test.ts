import { expect, test } from "vitest";
import type { Variation } from "../alerts/settings/settings.ts";
import { streamerPages } from "../ui/navigation.ts";
import { newVariationForm, toVariation } from "./designer/variation-form.ts";
import { answer, answerPage, openStudio } from "./testing.ts";
import { alertFile, apiKey, donation, playback, queue, settings } from "./testing-examples.ts";

const variation = (name: string, members: object = {}) =>
  ({ ...toVariation(newVariationForm("neon")), name, ...members }) as unknown as Variation;
const file = alertFile({ kind: "sound", mime: "audio/wav", name: "bell.wav", size: 1024, width: null, height: null });
const overlayKey = {
  ...{ id: "k1", publicId: "AbCd1234", name: "OBS", createdAt: new Date("2026-11-20T05:00:00Z"), lastUsedAt: null },
  ...({ widget: { kind: "top", parameters: { count: "3" } }, sound: "leader" } as const),
};

const heldTimes = { heldAt: "2026-11-20T05:00:00.000Z", decidesAt: "2026-11-20T05:02:00.000Z" };
const held = {
  donationId: "d2",
  donatorName: "Malee",
  amount: 100,
  currency: "THB",
  message: "",
  source: "external",
  ...heldTimes,
} as const;

/** Its replay asks first. */
const denied = donation({ alert: { status: "skipped", reason: "denied", shownAt: null, masked: false } });

/** A studio in which everything is that has a button of its own. */
const full = () =>
  openStudio({
    answers: {
      getAlertSettings: answer({ ...settings, variations: [variation("Everyone", { from: 1 }), variation("Big")] }),
      getAlertQueue: answer(queue({ waiting: [playback()], waitingCount: 1, held: [held], heldCount: 1 })),
      listDonations: ({ query }) => answerPage([query?.["limit"] === 5 ? denied : donation()])(),
      getDonation: answer(denied),
    },
    alertFiles: { list: async () => [file] },
    apiKeys: { list: async () => [apiKey()] },
    overlayKeys: { list: async () => [overlayKey] },
  });

const addresses = [
  ...streamerPages.filter((page) => page.startsWith("/studio")),
  ...["/studio/designer/variation?place=0", "/studio/designer/variation?theme=paper", "/studio/overlay/widget?kind=goal", "/studio/goals"],
  "/studio/overlay/widget/settings?key=k1",
  ...["/studio/webhooks/endpoint?id=w1", "/studio/apps/app?id=c1", "/studio/donation?id=d1", "/studio/void?donation=d1"],
  ...["/studio/import/result?id=i1", "/studio/replay?donation=d1", "/moderate"],
];

/** What assistive technology reads of attributes, and what a script shows of them. */
function namesIn(html: string): string[] {
  return [
    ...html.matchAll(/ (?:aria-label|aria-description|alt|title|placeholder|data-(?:copied|stop|waits|limited|failed))="([^"]*)"/g),
  ].map(([, name = ""]) => name);
}

test.each(addresses)("no attribute of %s that is read out has words of both languages", async (address) => {
  const studio = full();
  const [thai, english] = [(await studio.get(address, "th")).html, (await studio.get(address, "en")).html];
  expect(english).toContain('<html lang="en">');
  expect(namesIn(english).filter((name) => /\p{Script=Thai}/u.test(name))).toEqual([]);
  expect(namesIn(thai)).toHaveLength(namesIn(english).length);
  const own = namesIn(thai).filter((name, i) => namesIn(english)[i] !== name);
  expect(own.filter((name) => !/\p{Script=Thai}/u.test(name))).toEqual([]);
});

test("no attribute that is read out of the page with new OBS links has words of both languages", async () => {
  const fields = { newest: "none", name: "OBS" };
  const { html } = await openStudio().post("/studio/overlay", fields, "en");
  expect(namesIn(html)).toContainEqual(expect.stringMatching(/^Open: /));
  expect(namesIn(html).filter((name) => /\p{Script=Thai}/u.test(name))).toEqual([]);
});
