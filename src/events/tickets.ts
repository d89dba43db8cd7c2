// Tickets for programs that can set no header: one lets its bearer open one connection, within half a minute, as the credential that it was
// made with.

import { createHash, randomBytes } from "node:crypto";
import type { Knex } from "knex";
import { makeSealer } from "../db/secrets.ts";
import { Problem } from "../http/problem.ts";
import type { Limits } from "../http/rate-limits/rate-limits.ts";

export type Tickets = {
  /** Makes a ticket for this header. */
  issue: (authorization: string) => Promise<{ ticket: string; expiresAt: number }>;
  /** The header that the ticket stands for, once; null for a ticket that is unknown, used or too old. */
  redeem: (ticket: string) => Promise<string | null>;
  deleteExpired: () => Promise<void>;
};

const lifetimeSeconds = 30;

/** The table holds the hash of a ticket and a credential that only the ticket decrypts, so that whoever reads the table can use neither. */
export function openTickets(knex: Knex): Tickets {
  return {
    issue: async (authorization) => {
      const ticket = randomBytes(32).toString("base64url");
      const { rows } = await knex.raw<{ rows: { expires_at: number }[] }>(
        `insert into event_tickets (ticket_hash, credential, expires_at) values (?, ?, now() + ? * interval '1 second')
         returning to_millis(expires_at) as expires_at`,
        [hashOf(ticket), makeSealer(ticket).seal(Buffer.from(authorization)), lifetimeSeconds],
      );
      return { ticket, expiresAt: rows[0]?.expires_at ?? 0 };
    },
    redeem: async (ticket) => {
      const [row] = await knex("event_tickets")
        .where("ticket_hash", hashOf(ticket))
        .where("expires_at", ">", knex.fn.now())
        .delete()
        .returning<{ credential: Buffer }[]>("credential");
      return row ? makeSealer(ticket).open(row.credential).toString() : null;
    },
    deleteExpired: async () => {
      await knex("event_tickets").where("expires_at", "<", knex.fn.now()).delete();
    },
  };
}

/**
 * Resolves to the header that a ticket stands for, once. A ticket that is none counts as a request of its address without a valid credential.
 * Throws rate_limited and invalid_token.
 */
export const redeemTicket =
  (redeem: Tickets["redeem"], limits: Limits) =>
  async (ticket: string, address: string): Promise<string> => {
    await limits.admit(address, hasTicketForm(ticket) ? "plausible" : "none");
    const authorization = await redeem(ticket);
    if (authorization !== null) return authorization;
    await limits.failed(address);
    const headers = { "WWW-Authenticate": 'Bearer error="invalid_token"' };
    throw new Problem("invalid_token", "This ticket is unknown, used, or older than 30 seconds.", { headers });
  };

/** Whether a text has the form of a ticket: 32 bytes in base64url. */
function hasTicketForm(text: string): boolean {
  return /^[\w-]{43}$/.test(text);
}

function hashOf(ticket: string): Buffer {
  return createHash("sha256").update(ticket).digest();
}
