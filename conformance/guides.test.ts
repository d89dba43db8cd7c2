import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { type Guide, readGuides } from "./harness/guides.ts";
import { addKey, addOverlayKey, addStreamer } from "./harness/operator.ts";
import { type Process, startProcess } from "./harness/process.ts";
import { type Desk, needsProgram, newDesk } from "./harness/samples.ts";
import { remember } from "./harness/secrets.ts";
import { operatorOf, target } from "./harness/target.ts";

// Every sample of every guide, as a reader runs it: top to bottom, by somebody new, against a server with its rate limits on.

const guides = await readGuides();

let server: Process | null = null;

beforeAll(async () => {
  const { operator } = target();
  if (operator) server = await startProcess(operator, "guides", { RATE_LIMITS: "on" });
});
afterAll(() => server?.stop());

test("guides with samples are served, and every one of them says what its samples print", (context) => {
  operatorOf(context);
  expect(guides.map(({ slug }) => slug)).toEqual(expect.arrayContaining(["quickstart", "authentication", "idempotency", "typescript"]));
  const silent = guides.filter(({ samples }) => samples.every(({ prints }) => prints.length === 0));
  expect(silent.map(({ slug }) => slug)).toEqual([]);
});

describe.for(guides)("$slug", (guide) => {
  let desk: Desk;

  beforeAll(async () => {
    desk = await newDesk(guide.samples, await reader(guide));
  });
  afterAll(() => desk?.leave());

  test.for(guide.samples)("$title", async (sample, context) => {
    needsProgram(context, sample);
    const output = await desk.run(sample);
    for (const text of sample.prints) expect(output).toContain(text);
  });
});

/** A new streamer's keys and an application, as the guides name them. */
async function reader({ slug }: Guide): Promise<Record<string, string>> {
  const { operator, oauth } = target();
  const client = oauth?.clients.confidential;
  if (!operator || !server || !client?.secret) throw new Error("there are guides only where the server is ours");
  const handle = `${slug.slice(0, 14)}-${randomUUID().slice(0, 8)}`;
  await addStreamer(operator, handle);
  const scopes = "write:donations read:donations write:alerts read:alerts";
  const [apiKey, overlayKey] = await Promise.all([addKey(operator, handle, scopes), addOverlayKey(operator, handle)]);
  remember(apiKey, overlayKey);
  return {
    API_URL: server.url,
    API_KEY: apiKey,
    OVERLAY_KEY: overlayKey,
    CLIENT_ID: client.id,
    CLIENT_SECRET: client.secret,
    REDIRECT_URI: client.redirectUris[0] ?? "",
  };
}
