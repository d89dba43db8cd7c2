import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { authorizationPath } from "../../suite/client/oauth/authorization.ts";
import {
  basic,
  clientOf,
  expectError,
  expectRevoked,
  newGrant,
  type OAuthPath,
  post,
  refresh,
  revoke,
  tokensOf,
} from "../../suite/client/oauth/oauth-client.ts";
import { formTo, newVisitor, type Page, submit, visit } from "../../suite/client/page-visitor.ts";
import type { Reply } from "../../suite/contract/http-request.ts";
import { needsOwnProcess, type Process, startProcess } from "../../suite/servers/start-server.ts";
import { remember } from "../../suite/values/redact.ts";
import { target } from "../../suite/values/target.ts";

// A process of its own, because the server under test does not limit the rate.

beforeEach(needsOwnProcess);

let limited: Process | null = null;
beforeAll(async () => {
  const { operator } = target();
  limited = operator && (await startProcess(operator, "limited", { RATE_LIMITS: "on" }));
});
afterAll(() => limited?.stop());

const onLimitedServer = (): { server: string } => ({ server: limited?.url ?? "" });
const guesses = Array.from({ length: 40 }, (_, index) => `guess-number-${index}-for-the-log`);

function expectThrottled(reply: Reply): void {
  expectError(reply, "temporarily_unavailable", 429);
  expect(Number(reply.headers["retry-after"])).toBeGreaterThan(0);
}

describe("a client's secret can be guessed 20 times a minute", () => {
  const paths: OAuthPath[] = ["/oauth/token", "/oauth/revoke"];

  test("20 wrong secrets in a minute make every further try of the client 429, the right one too, in every way it can be sent", async () => {
    remember(...guesses);
    const { id, secret } = clientOf("confidential");
    const replies = [];
    for (const [index, guess] of guesses.slice(0, 24).entries()) {
      const [path = "/oauth/token"] = paths.slice(index % 2);
      const parameters = { grant_type: "refresh_token", refresh_token: "x", token: "x" };
      const [members, headers] =
        index % 3 === 0 ? [{}, { Authorization: basic(id, guess) }] : [{ client_id: id, client_secret: guess }, {}];
      replies.push(await post(path, { ...parameters, ...members }, { as: index % 2 ? "form" : "json", headers, ...onLimitedServer() }));
    }
    for (const reply of replies.slice(0, 20)) expectError(reply, "invalid_client");
    for (const reply of replies.slice(20)) expectThrottled(reply);
    for (const by of ["body", "basic"] as const)
      expectThrottled(await revoke({ ...clientOf("confidential"), secret }, "x", {}, { by, ...onLimitedServer() }));
  });

  test("wrong secrets of one client do not disturb other clients", async () => {
    expectRevoked(await revoke(clientOf("second"), "x", {}, onLimitedServer()));
    const { refresh_token } = await newGrant(clientOf("public"));
    tokensOf(await refresh(clientOf("public"), refresh_token, {}, onLimitedServer()));
  });

  test("at most 20 wrong secrets are tried when all are sent concurrently", async () => {
    const { id } = clientOf("readOnly");
    const replies = await Promise.all(
      guesses.map((guess) => post("/oauth/revoke", { token: "x", client_id: id, client_secret: guess }, onLimitedServer())),
    );
    expect(replies.filter(({ status }) => status === 401).length).toBe(20);
    for (const reply of replies.filter(({ status }) => status !== 401)) expectThrottled(reply);
  });
});

test("requests with the right secret do not count as guesses", async () => {
  for (let count = 0; count < 30; count += 1) expectRevoked(await revoke(clientOf("second"), "x", {}, onLimitedServer()));
});

describe("a streamer's password can be guessed a few times", () => {
  test("several wrong passwords make every further try of the streamer 429, the right one too", async () => {
    const visitor = newVisitor(limited?.url);
    let page: Page = await visit(visitor, authorizationPath(clientOf("second")));
    const statuses = [];
    for (const password of guesses) {
      page = await submit(visitor, formTo(page, "/oauth/login"), { handle: "quiet", password });
      statuses.push(page.reply.status);
      if (page.reply.status === 429) break;
    }
    expect(statuses.at(-1)).toBe(429);
    expect(statuses.slice(0, -1)).toEqual(statuses.slice(0, -1).fill(403));
    expect(Number(page.reply.headers["retry-after"])).toBeGreaterThan(0);
    const right = await submit(visitor, formTo(page, "/oauth/login"), { handle: "quiet", password: "right" });
    expect(right.reply.status).toBe(429);
  });
});
