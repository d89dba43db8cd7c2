import { expect, test } from "vitest";
import { openStudio } from "./testing.ts";

test("the guide for streamers is in the reader's language, in the studio's frame, and its links lead to the docs", async () => {
  const { get } = openStudio();
  const [thai, english] = [await get("/studio/help", "th"), await get("/studio/help", "en")];
  expect([thai.html.match(/<h1/g), english.html.match(/<h1/g)].map((one) => one?.length)).toEqual([1, 1]);
  expect(thai.html).toContain("ผู้ดูแลแชต");
  expect(english.html).toContain("their moderators");
  for (const { html } of [thai, english]) {
    expect(html).toContain('class="places"');
    expect(html).toContain('href="/docs/overlay#a-timer-for-subathons"');
    expect(html).not.toMatch(/href="[a-z-]+[#"]|\{\{/);
  }
});
