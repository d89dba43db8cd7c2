// The event log, streams and sockets: faults that no single wrong answer shows, as edits of the sources.

import type { Mutants } from "../mutant.ts";

export const events: Mutants = {
  "event-types-end-pages": {
    broken: "a page of recorded donations alone forgets those beyond it",
    edit: {
      file: "src/events/log.ts",
      from: "const hasMore = found.length > limit;",
      to: "const hasMore = found.length > limit && found.some(({ type }) => type !== null);",
    },
    killedBy: [
      ["events/list-events", /every event comes once/],
      ["events/events-any-order", /any order/],
    ],
  },
  "ticket-twice": {
    broken: "a ticket opens any number of WebSockets",
    edit: {
      file: "src/events/tickets.ts",
      from: `.delete()
        .returning`,
      to: `.update({ expires_at: knex.raw("expires_at") })
        .returning`,
    },
    killedBy: [["events/create-event-ticket", /the ticket opens one only/]],
  },
  "revoked-stream-open": {
    broken: "a stream stays open when its key is revoked",
    edit: {
      file: "src/events/subscriptions.ts",
      from: "if (!(await isGood(authenticator, authorization))) for",
      to: "if (await isGood(authenticator, authorization)) return; else if (those.length > 99) for",
    },
    killedBy: [
      ["events/stream-events", /whose key is revoked ends/],
      ["events/stream-events", /whose grant is revoked ends/],
    ],
  },
  "expired-stream-open": {
    broken: "a stream outlives its access token while events arrive",
    edit: {
      file: "src/events/subscriptions.ts",
      from: "await closeUnverified(state, [...state.opened]);",
      to: "await closeUnverified(state, [...state.opened].filter(({ isDue }) => isDue()));",
    },
    killedBy: [["events/stream-events", /expires ends its stream/]],
  },
  "event-scopes-ignored": {
    broken: "a credential gets events that its scopes do not allow",
    edit: {
      file: "src/events/event.ts",
      from: "eventTypes.filter((type) => scopes.includes(scopeOfType(type)))",
      to: "eventTypes.filter((type) => scopes.length > 0 || scopes.includes(scopeOfType(type)))",
    },
    killedBy: [
      ["events/list-events", /may not read donations gets none/],
      ["events/list-events", /insufficient_scope/],
    ],
  },
  "goal-without-number": {
    broken: "a goal that is reached takes the number of the event after it",
    edit: {
      file: "src/events/log.ts",
      from: "{ count: events.length, streamerId }",
      to: '{ count: type === "goal.reached" ? 0 : events.length, streamerId }',
    },
    killedBy: [["events/event-types", /goal.reached once/]],
  },
  "position-before-events": {
    broken: "the end of the log is read when its events have been read, in another statement",
    edit: {
      file: "src/events/log.ts",
      from: "return toPage(rows, question);",
      to: `const page = toPage(rows, question);
      await new Promise((resolve) => setTimeout(resolve, 20));
      return page.hasMore ? page : { ...page, position: await end(question.streamerId) };`,
    },
    killedBy: [["events/list-events", /while donations are recorded gets every event once/]],
  },
  "goal-again": {
    broken: "a goal is reached again with every donation",
    edit: {
      file: "src/events/goals.ts",
      from: "delete from goal_watches where",
      to: "update goal_watches set checked_sequence = -1 where",
    },
    killedBy: [["events/event-types", /goal.reached once/]],
  },
  "goal-unnamed": {
    broken: "goal.reached names the first goal, whichever was reached",
    edit: { file: "src/events/goals.ts", from: "details: { ...goal, current", to: 'details: { ...goal, id: "main", current' },
    killedBy: [["events/event-types", /its event names it/]],
  },
  "vanished-client-kept": {
    broken: "a WebSocket whose client answers no ping stays open",
    edit: { file: "src/events/socket.ts", from: "if (events.length === 0 && !isAnswering) return client.terminate();", to: "" },
    killedBy: [["events/event-socket", /answers none is disconnected/]],
  },
  "ticket-never-too-old": {
    broken: "a ticket is good until it is cleaned away, whatever it says",
    edit: {
      file: "src/events/tickets.ts",
      from: `        .where("expires_at", ">", knex.fn.now())
`,
      to: "",
    },
    killedBy: [["events/create-event-ticket", /for half a minute/]],
  },
  "ticket-with-more-scopes": {
    broken: "a ticket opens what any credential may read",
    edit: {
      file: "src/events/socket.ts",
      from: "const principal = await deps.authenticate(authorization, asked.address);",
      to: `const known = await deps.authenticate(authorization, asked.address);
    const principal = asked.query === "" ? known : { ...known, scopes: ["read:donations", "read:alerts"] as typeof known.scopes };`,
    },
    killedBy: [["events/create-event-ticket", /lends no scope/]],
  },
  "ticket-outlives-key": {
    broken: "a ticket is not refused when its key has been revoked",
    edit: {
      file: "src/events/socket.ts",
      from: "const principal = await deps.authenticate(authorization, asked.address);",
      to: `const principal = await deps.authenticate(authorization, asked.address).catch((error) => {
      if (asked.query === "") throw error;
      return { streamerId: newId(), applicationId: newId(), scopes: ["read:donations"] } as never;
    });`,
    },
    killedBy: [["events/create-event-ticket", /when its key has been revoked since/]],
  },
  "ticket-from-now": {
    broken: "the position beside a ticket is ignored",
    edit: {
      file: "src/events/socket.ts",
      from: "query: checked(operation, others) };",
      to: "query: checked(operation, { ...others, after: undefined }) };",
    },
    killedBy: [["events/create-event-ticket", /the query beside its ticket/]],
  },
  "imported-to-everybody": {
    broken: "imported donations are sent to subscribers who leave them out",
    edit: {
      file: "src/events/log.ts",
      from: "const wanted = withImported ? events",
      to: "const wanted = withImported || events.length > 0 ? events",
    },
    killedBy: [["events/list-events", /leaves the events of imported donations out/]],
  },
  "void-answers-kept": {
    broken: "the event of a void takes no number, so that answers from before are kept",
    edit: {
      file: "src/events/log.ts",
      from: "{ count: events.length, streamerId }",
      to: '{ count: type === "donation.voided" ? 0 : events.length, streamerId }',
    },
    killedBy: [["donations/void-donations-left-out", /leaves today, this week, month and year/]],
  },
  "void-goes-untold": {
    broken: "donation.voided is not recorded, though it takes its number",
    edit: { file: "src/corrections/void-donations.ts", from: 'type: "donation.voided" }', to: 'type: "donation.nothing" as never }' },
    killedBy: [
      ["alerts/alert-states", /the log tells first/],
      ["donations/void-donation", /one event donation\.voided/],
    ],
  },
  "erasure-leaves-answers-to-other-events": {
    broken: "what receivers of webhooks answered to other events of an erased donation than donation.created stays",
    edit: {
      file: "src/events/erased.ts",
      from: "[streamerId, [...donationIds, ...rows.map(({ id }) => id)]]",
      to: "[streamerId, [...donationIds, ...rows.map(() => donationIds[0])]]",
    },
    killedBy: [["donations/erase-donator", /answered to each type of event/]],
  },
  "keys-of-others-in-events": {
    broken: "events show the idempotency keys of other applications",
    edit: {
      file: "src/events/log.ts",
      from: "(applicationId: string) => toRecord(fromRowAsRecorded(row as never), applicationId);",
      to: "() => toRecord(fromRowAsRecorded(row as never), (row as unknown as { applicationId: string }).applicationId);",
    },
    killedBy: [
      ["events/webhooks", /another application arrives without its idempotency key/],
      ["events/event-types", /a stream and a WebSocket show idempotency keys/],
    ],
  },
  "webhooks-of-alerts-alone": {
    broken: "a donation without an alert has no event",
    edit: {
      file: "src/events/log.ts",
      from: "from donations where ${following} order by sequence",
      to: "from donations where ${following} and not skip_alert order by sequence",
    },
    killedBy: [["events/webhooks", /with and without an alert, and imported ones, arrive/]],
  },
  "imported-alerts-left-out": {
    broken: "subscribers who leave imported donations out do not get the events of their alerts either",
    edit: {
      file: "src/events/log.ts",
      from: '!(isImported && type.startsWith("donation."))',
      to: "!isImported",
    },
    killedBy: [["events/webhook-deliveries", /those of an imported donation's alert alone/]],
  },
};
