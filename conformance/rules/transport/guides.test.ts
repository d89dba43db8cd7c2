import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { needsProgram, newSampleRunner, type SampleRunner } from "../../suite/client/guide-samples.ts";
import { addStreamerWithKeys } from "../../suite/client/operator.ts";
import { freePort } from "../../suite/servers/free-port.ts";
import { type Process, startProcess } from "../../suite/servers/process.ts";
import { type Guide, readGuides } from "../../suite/values/guides.ts";
import { remember } from "../../suite/values/secrets.ts";
import { operatorOf, target } from "../../suite/values/target.ts";

// Runs every sample of every guide like a reader: top to bottom, as a new streamer, against a server with rate limits on.

const guides = await readGuides();

/** Timeout in ms for the command line to create the streamers of all guides. */
const patience = 300_000;

let server: Process | null = null;
/** Sample runners by guide, created one after the other while earlier samples run: the command line takes most of the time. */
const desks = new Map<Guide, Promise<SampleRunner>>();

beforeAll(async () => {
  const { operator } = target();
  if (operator) server = await startProcess(operator, "guides", { RATE_LIMITS: "on" });
  let before: Promise<unknown> = Promise.resolve();
  for (const guide of guides) {
    const desk = before.then(async () => newSampleRunner(guide.samples, await reader(guide)));
    before = desk.catch(() => {}); // the guide's own rules report it
    desks.set(guide, desk);
  }
});
afterAll(async () => {
  const made = await Promise.allSettled(desks.values());
  await Promise.all(made.map((one) => one.status === "fulfilled" && one.value.close()));
  await server?.stop();
}, patience);

test("guides with samples are served, and every one of them says what its samples print", (context) => {
  operatorOf(context);
  expect(guides.map(({ slug }) => slug)).toEqual(expect.arrayContaining(["quickstart", "authentication", "idempotency", "typescript"]));
  const silent = guides.filter(({ samples }) => samples.every(({ prints }) => prints.length === 0));
  expect(silent.map(({ slug }) => slug)).toEqual([]);
});

describe.for(guides)("$slug", (guide) => {
  beforeAll(() => desks.get(guide), patience);

  test.for(guide.samples)("the guide's sample prints what the guide says: $title", async (sample, context) => {
    needsProgram(context, sample);
    const output = await (await desks.get(guide))?.run(sample);
    for (const text of sample.prints) expect(output).toContain(text);
  });
});

/** A new streamer's keys and an application, as the guides name them. */
async function reader({ slug }: Guide): Promise<Record<string, string>> {
  const { operator, oauth } = target();
  const client = oauth?.clients.confidential;
  if (!operator || !server || !client?.secret) throw new Error("there are guides only where the server is ours");
  const handle = `${slug.slice(0, 14)}-${randomUUID().slice(0, 8)}`;
  const scopes = "write:donations void:donations erase:donators read:donations write:alerts read:alerts write:webhooks";
  const { key: apiKey, overlayKey } = await addStreamerWithKeys(operator, handle, scopes);
  remember(apiKey, overlayKey);
  return {
    API_URL: server.url,
    API_KEY: apiKey,
    OVERLAY_KEY: overlayKey,
    CLIENT_ID: client.id,
    CLIENT_SECRET: client.secret,
    REDIRECT_URI: client.redirectUris[0] ?? "",
    PORT: String(await freePort()),
  };
}
