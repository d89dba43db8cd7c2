// Mistakes about events that are easily made: tickets, positions and scopes.

import type { Edit, Mutants } from "../mutant.ts";

const inEvents = (file: string, from: string, to: string): Edit => ({ file: `src/events/${file}.ts`, from, to });

export const eventMistakes: Mutants = {
  "ticket-for-an-hour": {
    broken: "a ticket is good for an hour",
    edit: inEvents("tickets", "const lifetimeSeconds = 30;", "const lifetimeSeconds = 3600;"),
    killedBy: [["events/create-event-ticket", /for half a minute/]],
  },
  "ticket-never-too-old": {
    broken: "a ticket is good until it is cleaned away, whatever it says",
    edit: inEvents("tickets", '        .where("expires_at", ">", knex.fn.now())\n', ""),
    killedBy: [["events/create-event-ticket", /for half a minute/]],
  },
  "ticket-with-more-scopes": {
    broken: "a ticket opens what any credential may read",
    edit: inEvents(
      "socket",
      "const principal = await deps.authenticate(authorization, asked.address);",
      'const known = await deps.authenticate(authorization, asked.address);\n    const principal = asked.query === "" ? known : { ...known, scopes: ["read:donations", "read:alerts"] as typeof known.scopes };',
    ),
    killedBy: [["events/create-event-ticket", /lends no scope/]],
  },
  "ticket-outlives-key": {
    broken: "a ticket is not refused when its key has been revoked",
    edit: inEvents(
      "socket",
      "const principal = await deps.authenticate(authorization, asked.address);",
      'const principal = await deps.authenticate(authorization, asked.address).catch((error) => {\n      if (asked.query === "") throw error;\n      return { streamerId: newId(), applicationId: newId(), scopes: ["read:donations"] } as never;\n    });',
    ),
    killedBy: [["events/create-event-ticket", /when its key has been revoked since/]],
  },
  "ticket-from-now": {
    broken: "the position beside a ticket is ignored",
    edit: inEvents("socket", "query: checked(operation, others) };", "query: checked(operation, { ...others, after: undefined }) };"),
    killedBy: [["events/create-event-ticket", /the query beside its ticket/]],
  },
  "last-event-id-after-after": {
    broken: "after counts more than Last-Event-ID",
    edit: inEvents("handlers", 'header["Last-Event-ID"] || query.after', 'query.after || header["Last-Event-ID"]'),
    killedBy: [["events/stream-events", /counts more than after/]],
  },
  "last-event-id-empty": {
    broken: "an empty Last-Event-ID is refused",
    edit: inEvents("handlers", 'header["Last-Event-ID"] || query.after', 'header["Last-Event-ID"] ?? query.after'),
    killedBy: [["events/stream-events", /an empty one counts for nothing/]],
  },
  "alerts-with-donations": {
    broken: "who may read donations gets the events of alerts, too",
    edit: inEvents("event", 'type.startsWith("donation.") ? "read:donations" : "read:alerts"', '"read:donations"'),
    killedBy: [["events/list-events", /may not read alerts gets none/]],
  },
  "imported-as-if-just-made": {
    broken: "events do not say that a donation was imported",
    edit: inEvents("event", "...ofDonation(donation), isImported }", "...ofDonation(donation), isImported: false }"),
    killedBy: [["events/imported-events", /say so/]],
  },
  "imported-to-everybody": {
    broken: "imported donations are sent to subscribers who leave them out",
    edit: inEvents("log", "const wanted = withImported ? events", "const wanted = withImported || events.length > 0 ? events"),
    killedBy: [["events/imported-events", /leaves the events of imported donations out/]],
  },
  "line-separators-in-streams": {
    broken: "streams of lines contain U+2028 as it is",
    edit: { file: "src/base/json-line.ts", from: "[\\u0085\\u2028\\u2029]/g", to: "[\\u0085\\u2029]/g" },
    killedBy: [
      ["events/stream-events", /one line of data/],
      ["donations/import-lines", /one line for clients/],
    ],
  },
  "created-as-it-is": {
    broken: "the event of a recorded donation shows the donation as it is now: void",
    edit: {
      file: "src/app/connect-events.ts",
      from: "donations: { columns: selectedAsRecorded, toRecord: (row: DonationRow, reader) => toRecord(fromRowAsRecorded(row), reader) },",
      to: `donations: {
        columns: selectedAsRecorded + ', to_millis(d.voided_at) as "voidedAt", d.void_reason as "voidReason"',
        toRecord: (row: DonationRow, reader) => {
          const voided = row.voidedAt === null ? null : { at: row.voidedAt, reason: row.voidReason as never };
          return toRecord({ ...fromRowAsRecorded(row), voided }, reader);
        },
      },`,
    },
    killedBy: [["events/list-events", /stays as the donation was recorded/]],
  },
};
