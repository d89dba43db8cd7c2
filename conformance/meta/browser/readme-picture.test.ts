import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { create } from "../../suite/client/api.ts";
import { addKey } from "../../suite/client/operator.ts";
import { target } from "../../suite/values/target.ts";
import { desktop, openChromium, openTab } from "./chromium.ts";
import { noWidgets, playbackOf, startFakeOverlay } from "./fake-overlay.ts";
import { until } from "./overlay-tab.ts";
import { newLogin } from "./streamers.ts";

// The README's pictures: an alert and widgets over a drawn game scene, and the studio. `make screenshots` writes them where the README expects them.

/** The folder that a picture is written to: that of the README, or one that git ignores. */
function folderOf(room: "overlay-pages" | "studio"): string {
  const folder = fileURLToPath(new URL(process.env.README_PICTURES ? `../../../src/${room}/` : "screenshots/", import.meta.url));
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** What the page shows, as WebP. */
async function pictureOf(page: Page): Promise<Buffer> {
  const devtools = await page.context().newCDPSession(page);
  const { data } = await devtools.send("Page.captureScreenshot", { format: "webp", quality: 82 });
  const picture = Buffer.from(data, "base64");
  expect(picture.length).toBeLessThan(150_000);
  return picture;
}

const donation = (id: number, donatorName: string, amount: number, message: string) => ({
  donationId: `01932f6e-8a00-7000-8000-${String(id).padStart(12, "0")}`,
  donatorName,
  amount,
  currency: "THB",
  message,
  createdAt: "2026-11-20T12:30:00.000Z",
});

const widgets = {
  ...noWidgets,
  goal: { title: "ไมค์ใหม่ให้ช่อง", target: 20_000, current: 12_345.5 },
  recent: [
    donation(1, "สมชาย ใจดี", 500, "สู้ ๆ นะครับ เล่นเก่งมาก 🎉"),
    donation(2, "น้องปุ๊กกี้", 99, "มาแล้วค่าา"),
    donation(3, "Nyan 🌈", 50, "555"),
  ],
};

/** A page with a night scene; each frame is a browser source, laid over it as OBS does. */
const scene = (address: (path: string) => string) => `<!doctype html><style>
body { margin: 0; height: 100vh; overflow: hidden; background: radial-gradient(circle at 74% 24%, #fff3c4 0 34px, #ffd98a33 36px, transparent 150px),
  linear-gradient(#0b1026, #1b2350 45%, #4b2f6b 70%, #7a3f63 86%, #2a1a33); }
svg { position: absolute; inset: 0; width: 100%; height: 100%; }
iframe { position: absolute; border: 0; }
</style>
<svg viewBox="0 0 1280 720" preserveAspectRatio="none">
${Array.from({ length: 60 }, (_, star) => `<circle cx="${(star * 397) % 1280}" cy="${(star * 173) % 330}" r="${1 + (star % 3) / 2}" fill="#fff" opacity="${0.3 + (star % 5) / 10}"/>`).join("")}
<path fill="#3a2a5e" d="M0 520 L140 410 L260 500 L420 370 L600 520 L760 420 L930 530 L1080 400 L1280 510 V720 H0z"/>
<path fill="#241b40" d="M0 600 Q200 520 420 590 T860 590 T1280 560 V720 H0z"/>
<path fill="#140f26" d="M0 660 Q320 610 640 655 T1280 640 V720 H0z"/>
</svg>
<iframe src="${address("")}" style="left: 240px; top: 50px; width: 800px; height: 600px"></iframe>
<iframe src="${address("goal")}" style="left: 16px; top: 16px; width: 330px; height: 110px"></iframe>
<iframe src="${address("recent?count=3")}" style="left: 16px; bottom: 12px; width: 300px; height: 290px"></iframe>`;

test("the README's picture shows an alert and widgets, and its file is small", async () => {
  const [browser, fake] = await Promise.all([openChromium(), startFakeOverlay(target().url)]);
  const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
  try {
    fake.snapshot.widgets = widgets;
    fake.snapshot.settings.minimumSeconds = 60;
    await page.setContent(scene((path) => `${fake.url}/overlay/${path}#${fake.key}`));
    const shown = (frame: number, part: string) => page.frameLocator(`iframe >> nth=${frame}`).locator(`[data-part="${part}"]`).isVisible();
    const widgetsThere = async () => (await shown(1, "title")) && (await shown(2, "rows"));
    await until(widgetsThere, Boolean);
    fake.play(playbackOf({ donatorName: "สมชาย ใจดี", amount: 500, message: "สู้ ๆ นะครับ เล่นเก่งมาก 🎉" }));
    await until(() => fake.acknowledgements.length, Boolean);
    await page.waitForTimeout(1_200); // the animation has ended
    expect(await shown(0, "name")).toBe(true);
    writeFileSync(`${folderOf("overlay-pages")}alert.webp`, await pictureOf(page));
  } finally {
    await page.close();
    fake.close();
  }
});

test("the README's second picture shows the studio's page of money with two months of donations, and its file is small", async () => {
  const tab = await openTab({ ...desktop, viewport: { width: 1120, height: 960 } });
  try {
    const { handle } = await newLogin(tab, "/studio/money");
    const key = await addKey(target().operator!, handle, "write:donations");
    const names = ["สมชาย ใจดี", "น้องปุ๊กกี้", "Nyan", "มะลิ", "Aran"];
    const day = (index: number) => new Date(Date.now() - (index % 61) * 86_400_000).toISOString();
    await Promise.all(
      Array.from({ length: 240 }, async (_, index) => {
        const donation = {
          donatorName: names[index % 5],
          amount: 20 + ((index * index * 137) % (480 - 4 * (index % 61))),
          createdAt: day(index),
          skipAlert: true,
        };
        expect((await create(donation, { key })).status).toBe(201);
      }),
    );
    await tab.page.goto(`${target().url}/studio/money`);
    await tab.page.locator(".bars a").last().waitFor();
    writeFileSync(`${folderOf("studio")}studio.webp`, await pictureOf(tab.page));
  } finally {
    await tab.context.close();
  }
});
