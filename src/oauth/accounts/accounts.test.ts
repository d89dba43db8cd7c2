import { afterAll, beforeAll, expect, test } from "vitest";
import { makeLimits } from "../../http/rate-limits/rate-limits.ts";
import { memoryBuckets } from "../../http/rate-limits/token-bucket.ts";
import { type OAuthPagesFixture, openOAuthPagesFixture } from "../testing-pages.ts";
import { makeAccounts } from "./accounts.ts";

let fixture: OAuthPagesFixture;

beforeAll(async () => void (fixture = await openOAuthPagesFixture()));
afterAll(async () => fixture?.close());

const policies = ["read", "failed"].map((name) => ({ name, quota: 2, window: 60, burst: 2 }));

/** A page whose limits have two tokens, of a clock that stands still. */
function limitedPage() {
  const limits = makeLimits(
    policies,
    memoryBuckets(() => 0),
  );
  const shown: string[] = [];
  const page = makeAccounts({ ...fixture.pages, limits }).page("/studio", async ({ account }) => {
    shown.push(account.streamer.handle);
    return { status: 200 };
  });
  const visit = (cookie?: string) =>
    page({
      path: "/studio",
      query: new URLSearchParams(),
      form: new URLSearchParams(),
      caller: { authorization: undefined, cookie, origin: undefined, host: undefined, address: "192.0.2.1" },
    });
  return { visit, shown, limits };
}

async function cookieOf(handle: string): Promise<string> {
  const { jar } = await fixture.loggedIn(handle);
  return [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
}

test("pages of all sessions of a streamer together count as reads, and one too many is refused as rate_limited and shows nothing", async () => {
  const { visit, shown, limits } = limitedPage();
  const [first, second] = [await cookieOf("somchai"), await cookieOf("somchai")];
  for (const cookie of [first, second]) expect(await visit(cookie)).toEqual({ status: 200 });
  await expect(visit(first)).rejects.toMatchObject({ code: "rate_limited", extras: { headers: { "Retry-After": "30" } } });
  expect(shown).toEqual(["somchai", "somchai"]);
  await visit(await cookieOf("malee"));
  expect(shown).toEqual(["somchai", "somchai", "malee"]);
  await limits.spend("read", "a key", { streamerId: fixture.somchai });
});

test("a visitor who is not logged in is sent to log in, however often", async () => {
  const { visit } = limitedPage();
  for (let i = 0; i < 4; i += 1) expect(await visit()).toMatchObject({ status: 303 });
});
