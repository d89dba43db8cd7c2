import { afterAll, beforeAll, expect, test } from "vitest";
import { media } from "../../suite/values/media.ts";
import { openChromium, openTab, type Tab } from "./chromium.ts";

// A file of each type that alerts may have is shown or heard by Chromium, which OBS has as well.

let tab: Tab;

beforeAll(async () => {
  tab = await openTab(await openChromium());
});
afterAll(() => tab.context.close());

test.each(media)("Chromium shows or plays an uploaded file of the type $type", async ({ type, kind, width, height, bytes }) => {
  const address = JSON.stringify(`data:${type};base64,${bytes.toString("base64")}`);
  const element = type === "video/webm" ? "video" : kind === "image" ? "img" : "audio";
  const shown = await tab.page.evaluate(`new Promise((resolve, reject) => {
    const element = document.createElement("${element}");
    element.onerror = () => reject(new Error("it is not shown"));
    element.onload = () => resolve([element.naturalWidth, element.naturalHeight]);
    element.onloadeddata = () => resolve("${element}" === "video" ? [element.videoWidth, element.videoHeight] : [null, null]);
    element.src = ${address};
  })`);
  expect(shown).toEqual([width, height]);
});
