// Which request of a failed rule reports show as the one whose answer broke it.

import { expect, test } from "vitest";
import { decisiveOf } from "../../suite/client/failure.ts";
import type { Exchange } from "../../suite/client/trace.ts";

const exchange = (method: string, path: string, status: number, text = "{}"): Exchange => ({
  request: { method, path },
  reply: { status, headers: {}, text, body: undefined },
});

const create = exchange("POST", "/api/v1/donations", 201, '{"data":{"id":"1","donatorName":"Malee"}}');
const read = exchange("GET", "/api/v1/donations/1", 404, '{"code":"donation_not_found","title":"There is no such donation"}');
const revoke = exchange("POST", "/oauth/revoke", 404);
const madeUp = exchange("POST", "/oauth/revoke-that-does-not-exist", 404);
const busy = exchange("GET", "/api/v1/alerts", 503);
const unanswered: Exchange = { request: { method: "GET", path: "/api/v1/me" }, reply: null };
const page = (last: string) => exchange("GET", `/api/v1/donations?cursor=${last}`, 200, `{"data":[${"1,".repeat(150)}${last}]}`);

test.each([
  ["that the message names by method and path, not a later one", "POST /oauth/revoke answers 404", [revoke, madeUp], revoke],
  ["whose answer the message quotes", `expected ${create.reply?.text} to have a message`, [create, read], create],
  [
    "whose whole answer the message quotes, not one that begins alike",
    `wrong: ${page("2").reply?.text}`,
    [page("2"), page("3")],
    page("2"),
  ],
  ["that was answered with the status of the failed comparison", "expected 201 to be 409", [create, busy, read], create],
  ["that was answered with the status of a failed comparison of lists", "expected [ 404, 'x' ] to deeply equal", [read, create], read],
  ["that the server failed on, where the message says nothing", "the rule took too long", [busy, create], busy],
  ["that was not answered, where the message says nothing", "the rule took too long", [unanswered, create], unanswered],
  ["that was sent last, where nothing else is known", "something is wrong", [create, read], read],
] as const)("the failing request of a rule is the one %s", (_, message, exchanges, decisive) =>
  expect(decisiveOf(message, exchanges)?.request).toEqual(decisive.request),
);
