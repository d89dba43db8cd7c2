import type { Knex } from "knex";
import { expect, test } from "vitest";
import { useDatabase } from "../db/testing.ts";
import { makeLimits } from "../http/rate-limits/rate-limits.ts";
import { memoryBuckets } from "../http/rate-limits/token-bucket.ts";
import { openTickets, redeemTicket, type Tickets } from "./tickets.ts";

let tickets: Tickets;
let knex: Knex;
useDatabase(async (database) => {
  knex = database.knex;
  tickets = openTickets(knex);
});

test("a ticket stands for its credential once, even when two connections bring it at the same moment", async () => {
  const { ticket, expiresAt } = await tickets.issue("Bearer abc");
  expect(expiresAt - Date.now()).toBeGreaterThan(20_000);
  const both = await Promise.all([tickets.redeem(ticket), tickets.redeem(ticket)]);
  expect(both.sort()).toEqual(["Bearer abc", null]);
});

test("a ticket is worthless after half a minute, and then deleted", async () => {
  const { ticket } = await tickets.issue("Bearer abc");
  await knex("event_tickets").update({ expires_at: knex.raw("now() - interval '1 second'") });
  expect(await tickets.redeem(ticket)).toBeNull();
  await tickets.deleteExpired();
  expect(await knex("event_tickets")).toEqual([]);
});

test("the table holds neither the ticket nor the credential", async () => {
  const { ticket } = await tickets.issue("Bearer abc");
  const stored = JSON.stringify(await knex("event_tickets"));
  expect(stored).not.toContain(ticket);
  expect(stored).not.toContain(Buffer.from("Bearer abc").toString("hex"));
  expect(await tickets.redeem("no such ticket")).toBeNull();
});

test("unknown tickets count as failures of their address, and are not looked up beyond its limit: rate_limited", async () => {
  const lookedUp: string[] = [];
  const lookUp = async (ticket: string) => {
    lookedUp.push(ticket);
    return null;
  };
  const redeem = redeemTicket(lookUp, makeLimits([{ name: "failed", quota: 3, window: 60, burst: 3 }], memoryBuckets()));
  for (const ticket of ["a", "b", "c"]) await expect(redeem(ticket, "127.0.0.1")).rejects.toMatchObject({ code: "invalid_token" });
  await expect(redeem("d", "127.0.0.1")).rejects.toMatchObject({ code: "rate_limited" });
  expect(lookedUp).toEqual(["a", "b", "c"]);
  await expect(redeem("t".repeat(43), "127.0.0.1")).rejects.toMatchObject({ code: "invalid_token" });
});
