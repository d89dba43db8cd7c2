// Wrong answers of the event log, its streams, and webhooks.

import { at, events, type Mutants, set, type WrongAnswer, wrong } from "../mutant.ts";

type Event = { type: string; id: string; data: Record<string, unknown> };

/** A log and streams in which events of a type differ. */
const ofType = (type: string, members: object): Pick<WrongAnswer, "on" | "answer" | "lines"> => {
  const change = (event: Event): Event => (event.type === type ? { ...event, data: { ...event.data, ...members } } : event);
  return { on: "listEvents streamEvents", answer: at<Event>("data.*", change), lines: events((event) => change(event as Event)) };
};

const inBangkok = (time: string): string => new Date(Date.parse(time) + 7 * 3_600_000).toISOString();

const notReplayed = (event: Event): Event => ("isReplay" in event.data ? { ...event, data: { ...event.data, isReplay: false } } : event);

export const eventAnswers: Mutants = {
  "event-when-it-happened": wrong({
    broken: "the event of a donation has the time at which that happened, and not the time of its recording",
    on: "listEvents",
    answer: at<Event>("data.*", (event) => (event.type === "donation.created" ? { ...event, timestamp: event.data.createdAt } : event)),
    killedBy: [["events/list-events", /a recorded donation is an event/]],
  }),
  "events-float32": wrong({
    broken: "amounts in events have 24 bits of precision",
    on: "listEvents",
    answer: at("data.*.data.amount", Math.fround),
    killedBy: [["events/list-events", /a recorded donation is an event/]],
  }),
  "recovered-without-offset": wrong({
    broken: "the offset of the instant from which a webhook recovers is ignored",
    on: "recoverWebhook",
    sent: at<unknown>("since", (since) => String(since).replace(/\+07:00$/, "Z")),
    killedBy: [["events/webhook-deliveries", /each once, from the instant on/]],
  }),
  "events-trimmed": wrong({
    broken: "texts of events are without the blanks around them",
    on: "listEvents",
    answer: at<string>("data.*.data.message", (message) => message.trim()),
    killedBy: [["events/list-events", /a recorded donation is an event/]],
  }),
  "goal-in-satang": wrong({
    broken: "the sum by which a goal was reached is rounded to satang",
    on: "listEvents",
    answer: at<number>("data.*.data.current", (sum) => Math.round(sum * 100) / 100),
    killedBy: [["events/event-types", /of its days alone add up/]],
  }),
  "webhook-description-trimmed": wrong({
    broken: "the description of a webhook is stored without the blanks around it",
    on: "createWebhook",
    sent: at<unknown>("description", (text) => (typeof text === "string" ? text.trim() : text)),
    killedBy: [["events/webhooks", /as it was created, without its secret/]],
  }),
  "deliveries-of-10": wrong({
    broken: "a page has 10 deliveries unless limit is sent",
    on: "listWebhookDeliveries",
    url: ({ searchParams }) => searchParams.has("limit") || searchParams.set("limit", "10"),
    killedBy: [["events/webhook-deliveries", /page by page, the latest event first/]],
  }),
  "events-of-50": wrong({
    broken: "a page has 50 events unless limit is sent",
    on: "listEvents",
    url: ({ searchParams }) => searchParams.has("limit") || searchParams.set("limit", "50"),
    killedBy: [["events/list-events", /limit is the contract's default/]],
  }),
  "outcomes-first-only": wrong({
    broken: "of several outcomes that deliveries are filtered by, the first counts",
    on: "listWebhookDeliveries",
    url: ({ searchParams }) => searchParams.getAll("status").length === 2 && searchParams.set("status", String(searchParams.get("status"))),
    killedBy: [["events/webhook-deliveries", /a failed attempt is listed as retrying/]],
  }),
  "event-repeated": wrong({
    broken: "a page of events ends with its last event twice",
    on: "listEvents",
    answer: at<Event[]>("data", (all) => all.concat(all.slice(-1))),
    killedBy: [["events/list-events", /every event comes once and in the order/]],
  }),
  "events-any-lost": wrong({
    broken: "a page of more than two events lacks the second",
    on: "listEvents",
    answer: at<Event[]>("data", (all) => (all.length > 2 ? all.toSpliced(1, 1) : all)),
    killedBy: [["events/events-any-order", /any order/]],
  }),
  "replay-not-said": wrong({
    broken: "the events of a replay that a stream tells do not say so",
    on: "streamEvents",
    lines: events((event) => notReplayed(event as Event)),
    killedBy: [["events/event-types", /isReplay true/]],
  }),
  "replay-not-listed": wrong({
    broken: "the listed events of a replay do not say so",
    on: "listEvents",
    answer: at<Event>("data.*", notReplayed),
    killedBy: [["events/events-any-order", /any order/]],
  }),
  "cursor-of-nothing": wrong({
    broken: "a position that is no cursor is taken for the beginning",
    on: "listEvents",
    url: ({ searchParams }) => searchParams.get("after") === "x" && searchParams.delete("after"),
    killedBy: [["events/list-events", /the position "x" is no cursor/]],
  }),
  "imported-as-if-just-made": wrong({
    broken: "events do not say that a donation was imported",
    on: "listEvents",
    text: (text) => text.replaceAll('"imported":true', '"imported":false').replaceAll('"isImported":true', '"isImported":false'),
    killedBy: [["events/list-events", /say so/]],
  }),
  "stream-doubled": wrong({
    broken: "a stream tells every event twice",
    on: "streamEvents",
    lines: events((event) => (event.type ? [event, event] : event)),
    killedBy: [["events/stream-events", /gets what is recorded while it is open/]],
  }),
  "last-event-id-ignored": wrong({
    broken: "a stream does not go on from Last-Event-ID",
    on: "streamEvents",
    asked: { "last-event-id": null },
    killedBy: [["events/stream-events", /with Last-Event-ID gets what it has missed/]],
  }),
  "ticket-for-an-hour": wrong({
    broken: "a ticket says that it is good for an hour",
    on: "createEventTicket",
    answer: at<string>("data.expiresAt", (time) => new Date(Date.parse(time) + 3_600_000).toISOString()),
    killedBy: [["events/create-event-ticket", /for half a minute/]],
  }),
  "ticket-changed": wrong({
    broken: "the ticket that is answered is not the one that was issued",
    on: "createEventTicket",
    answer: at<string>("data.ticket", (ticket) => ticket.split("").toReversed().join("")),
    killedBy: [["events/create-event-ticket", /needs no token, and the ticket opens one only/]],
  }),
  "webhook-anywhere": wrong({
    broken: "a webhook may have a private address",
    on: "createWebhook",
    when: ({ status }) => status === 400 || status === 422,
    status: 201,
    killedBy: [["events/webhooks", /a private address is refused/]],
  }),
  "webhook-types-by-default": wrong({
    broken: "a webhook gets recorded donations alone by default",
    on: "createWebhook",
    sent: (body) => (body && typeof body === "object" && !Array.isArray(body) ? { types: ["donation.created"], ...body } : body),
    killedBy: [["events/webhooks", /gets every type of event by default/]],
  }),
  "webhook-secret-shown": wrong({
    broken: "a webhook is answered with a secret",
    on: "getWebhook",
    answer: set("data", { secret: "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oDLNZVGHzEcbk=" }),
    killedBy: [["events/webhooks", /as it was created, without its secret/]],
  }),
  "webhooks-newest-first": wrong({
    broken: "webhooks are listed newest first",
    on: "listWebhooks",
    answer: at<unknown[]>("data", (all) => all.toReversed()),
    killedBy: [["events/webhooks", /oldest first/]],
  }),
  "webhook-kept": wrong({
    broken: "a deleted webhook stays",
    on: "deleteWebhook",
    as: (path) => `GET ${path}`,
    status: { 200: 204 },
    killedBy: [["events/webhooks", /a deleted webhook is gone/]],
  }),
  "webhook-deleted-twice": wrong({
    broken: "the deletion of a webhook that is not there is answered as if it had been there",
    on: "deleteWebhook",
    status: { 404: 204 },
    killedBy: [["derived/resources", /a deleted webhook is gone, and is deleted once/]],
  }),
  "webhook-values-lost": wrong({
    broken: "a webhook that is changed loses its description",
    on: "updateWebhook",
    sent: (body) => (body && typeof body === "object" && !Array.isArray(body) ? { description: "", ...body } : body),
    killedBy: [["events/update-webhook", /the others keep their values/]],
  }),
  "secret-of-before": wrong({
    broken: "a rotation answers another secret than it signs with",
    on: "rotateWebhookSecret",
    answer: at<string>("data.secret", (secret) => secret.replace(/^whsec_(.)/, (_all, first) => `whsec_${first === "A" ? "B" : "A"}`)),
    killedBy: [["events/update-webhook", /both secrets verify a delivery/]],
  }),
  "deliveries-oldest-first": wrong({
    broken: "deliveries are listed oldest first",
    on: "listWebhookDeliveries",
    answer: at<unknown[]>("data", (all) => all.toReversed()),
    killedBy: [["events/webhook-deliveries", /page by page, the latest event first/]],
  }),
  "redelivered-nothing": wrong({
    broken: "a delivery that is sent again is answered and not sent",
    on: "redeliverWebhook",
    instead: async (request, send) => {
      const [webhook = "", id] = request.path.replace(/\/redeliver$/, "").split("/deliveries/");
      const list = await send({ ...request, method: "GET", path: `${webhook}/deliveries?limit=100`, body: Buffer.alloc(0) });
      const found = (JSON.parse(list.body.toString()).data as { id: string }[] | undefined)?.find((one) => one.id === id);
      return found ? { ...list, status: 202, body: Buffer.from(JSON.stringify({ data: found })) } : send(request);
    },
    killedBy: [["events/webhook-deliveries", /a delivery is sent again with the same webhook-id/]],
  }),
  "recovered-uncounted": wrong({
    broken: "a recovery counts one event too few",
    on: "recoverWebhook",
    answer: at<number>("data.count", (count) => Math.max(0, count - 1)),
    killedBy: [["events/webhook-deliveries", /each once, from the instant on/]],
  }),
  "answers-cut-short": wrong({
    broken: "of what a receiver has answered the first 500 characters are listed",
    on: "listWebhookDeliveries",
    answer: at<string | null>("data.*.attempts.*.answer", (answer) => answer?.slice(0, 500) ?? null),
    killedBy: [["events/webhook-deliveries", /listed by its first kilobyte/]],
  }),
  "event-ids-shared": wrong({
    broken: "the events of one alert share an id",
    on: "streamEvents",
    lines: events(({ id, type, data, ...event }) => ({
      id: String(type).startsWith("alert.") ? (data as { donationId: string }).donationId : id,
      type,
      data,
      ...event,
    })),
    killedBy: [["events/event-types", /each with an id of its own/]],
  }),
  "test-always-arrived": wrong({
    broken: "a test says that it arrived, whatever was answered",
    on: "sendTestEvent",
    answer: set("data", { delivered: true }),
    killedBy: [["events/update-webhook", /with the status 304/]],
  }),
  "void-of-a-test": wrong({
    broken: "the event of a void says of a test donation that it is none",
    ...ofType("donation.voided", { isTest: false }),
    killedBy: [["alerts/alert-states", /donation of a test alert can be voided/]],
  }),
  "skip-of-a-test": wrong({
    broken: "the event of a skipped alert says of a test that it is none",
    ...ofType("alert.skipped", { isTest: false }),
    killedBy: [["alerts/alert-states", /donation of a test alert can be voided/]],
  }),
  "start-of-a-test": wrong({
    broken: "the event of a started alert says of a test that it is none",
    ...ofType("alert.started", { isTest: false }),
    killedBy: [["events/event-types", /is a test in its events/]],
  }),
  "erased-as-if-just-made": wrong({
    broken: "the event of an erasure does not say that the donation was imported",
    ...ofType("donation.erased", { isImported: false }),
    killedBy: [["donations/erase-donator", /donation\.erased tells of each/]],
  }),
  "webhook-created-in-bangkok": wrong({
    broken: "the time at which a webhook was created is that of Bangkok, called UTC",
    on: "createWebhook getWebhook listWebhooks",
    answer: at<string>("data.createdAt", inBangkok),
    killedBy: [["events/webhooks", /a new webhook has a secret/]],
  }),
  "attempts-in-bangkok": wrong({
    broken: "the time of an attempt is that of Bangkok, called UTC",
    on: "listWebhookDeliveries",
    answer: at<string>("data.*.attempts.*.at", inBangkok),
    killedBy: [["events/webhook-deliveries", /with the answer of each attempt/]],
  }),
  "alert-times-in-bangkok": wrong({
    broken: "since when an alert is held, and a page connected, is told in the time of Bangkok, called UTC",
    on: "getAlertQueue",
    answer: at<Record<string, unknown>>("data", (data) =>
      JSON.parse(JSON.stringify(data), (name, value) => (/^(heldAt|decidesAt|connectedAt)$/.test(name) ? inBangkok(value) : value)),
    ),
    killedBy: [
      ["alerts/approve-alert", /holds an alert with its texts and the time/],
      ["alerts/lead-overlay", /lists the connected overlays/],
    ],
  }),
  "uploaded-in-bangkok": wrong({
    broken: "the time at which a file was uploaded is that of Bangkok, called UTC",
    on: "uploadAlertFile",
    answer: at<string>("data.createdAt", inBangkok),
    killedBy: [["alerts/alert-files", /listed newest first/]],
  }),
  "erased-when-recorded": wrong({
    broken: "the event of an erasure has the time at which the donation was recorded",
    on: "listEvents",
    answer: at<Event>("data.*", (event) => (event.type === "donation.erased" ? { ...event, timestamp: event.data.receivedAt } : event)),
    killedBy: [["donations/erase-donator", /donation\.erased tells of each/]],
  }),
  "events-in-bangkok": wrong({
    broken: "streamed events of alerts and goals have the time of Bangkok, called UTC",
    on: "streamEvents",
    lines: events((event) =>
      /^(alert|goal)\./.test(String(event.type)) ? { ...event, timestamp: inBangkok(String(event.timestamp)) } : event,
    ),
    killedBy: [
      ["events/event-types", /alert\.started and then alert\.shown/],
      ["events/event-types", /goal\.reached once/],
    ],
  }),
};
