// Mutants of the log of events and its streams.

import type { Edit, Mutants } from "../mutant.ts";

const inEvents = (file: string, from: string, to: string): Edit => ({ file: `src/events/${file}.ts`, from, to });

export const events: Mutants = {
  "event-repeated": {
    broken: "a page begins with the event of its cursor",
    edit: inEvents("log", "and sequence > ${position}`", "and sequence >= ${position}`"),
    killedBy: [
      ["events/stream-events", /gets what it has missed, once/],
      ["events/events-any-order", /any order/],
    ],
  },
  "event-position-ahead": {
    broken: "the position after a page is one further than its last event",
    edit: inEvents("log", "(events.at(-1)?.position ?? after) :", "(events.at(-1)?.position ?? after) + 1 :"),
    killedBy: [
      ["events/list-events", /every event comes once/],
      ["events/events-any-order", /any order/],
    ],
  },
  "event-types-end-pages": {
    broken: "a page of recorded donations alone forgets those beyond it",
    edit: inEvents(
      "log",
      "const hasMore = found.length > limit;",
      "const hasMore = found.length > limit && found.some(({ type }) => type !== null);",
    ),
    killedBy: [
      ["events/list-events", /every event comes once/],
      ["events/events-any-order", /any order/],
    ],
  },
  "event-full-page-has-more": {
    broken: "hasMore is true on a full last page",
    edit: inEvents("log", "const hasMore = found.length > limit;", "const hasMore = found.length >= limit;"),
    killedBy: [["events/events-any-order", /any order/]],
  },
  "ticket-twice": {
    broken: "a ticket opens any number of WebSockets",
    edit: inEvents("tickets", ".delete()\n        .returning", '.update({ expires_at: knex.raw("expires_at") })\n        .returning'),
    killedBy: [["events/create-event-ticket", /the ticket opens one only/]],
  },
  "revoked-stream-open": {
    broken: "a stream stays open when its key is revoked",
    edit: inEvents(
      "subscriptions",
      "if (!(await isGood(authenticator, authorization))) for",
      "if (await isGood(authenticator, authorization)) return; else if (those.length > 99) for",
    ),
    killedBy: [
      ["events/stream-events", /whose key is revoked ends/],
      ["events/stream-events", /whose grant is revoked ends/],
    ],
  },
  "expired-stream-open": {
    broken: "a stream outlives its access token while events arrive",
    edit: inEvents(
      "subscriptions",
      "await closeUnverified(state, [...state.opened]);",
      "await closeUnverified(state, [...state.opened].filter(({ isDue }) => isDue()));",
    ),
    killedBy: [["events/stream-events", /expires ends its stream/]],
  },
  "last-event-id-ignored": {
    broken: "a stream does not go on from Last-Event-ID",
    edit: inEvents("handlers", 'header["Last-Event-ID"] || query.after', "query.after"),
    killedBy: [["events/stream-events", /with Last-Event-ID gets what it has missed/]],
  },
  "event-types-ignored": {
    broken: "types of a question are ignored",
    edit: inEvents("event", "return asked ? [...asked] : allowed;", "return allowed;"),
    killedBy: [["events/events-any-order", /any order/]],
  },
  "event-scopes-ignored": {
    broken: "a credential gets events that its scopes do not allow",
    edit: inEvents(
      "event",
      "all.filter((type) => scopes.includes(scopeOfType(type)))",
      "all.filter((type) => scopes.length > 0 || scopes.includes(scopeOfType(type)))",
    ),
    killedBy: [
      ["events/list-events", /may not read donations gets none/],
      ["events/list-events", /insufficient_scope/],
    ],
  },
  "replay-not-said": {
    broken: "the events of a replay do not say so",
    edit: inEvents(
      "event",
      '...details, isTest: donation.source === "test" }',
      '...details, isReplay: false, isTest: donation.source === "test" }',
    ),
    killedBy: [
      ["events/event-types", /isReplay true/],
      ["events/events-any-order", /any order/],
    ],
  },
  "goal-without-number": {
    broken: "a goal that is reached takes the number of the event after it",
    edit: inEvents(
      "record-events",
      "{ count: events.length, streamerId }",
      '{ count: type === "goal.reached" ? 0 : events.length, streamerId }',
    ),
    killedBy: [["events/event-types", /goal.reached once/]],
  },
  "position-before-events": {
    broken: "the end of the log is read when its events have been read, in another statement",
    edit: inEvents(
      "log",
      "return toPage(rows, question, donations);",
      "const page = toPage(rows, question, donations);\n      await new Promise((resolve) => setTimeout(resolve, 20));\n      return page.hasMore ? page : { ...page, position: await end(question.streamerId) };",
    ),
    killedBy: [["events/list-events", /while donations are recorded gets every event once/]],
  },
  "goal-again": {
    broken: "a goal is reached again with every donation",
    edit: inEvents("goals", ".delete();", ".update({ checked_sequence: -1 });"),
    killedBy: [["events/event-types", /goal.reached once/]],
  },
  "vanished-client-kept": {
    broken: "a WebSocket whose client answers no ping stays open",
    edit: inEvents("socket", "if (events.length === 0 && !isAnswering) return client.terminate();", ""),
    killedBy: [["events/event-socket", /answers none is disconnected/]],
  },
};
