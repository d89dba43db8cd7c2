// Events as the contract shows them, marked as tests where they can be: a receiver may act on them.

import { contract, type Schema } from "../suite/contract/contract.ts";
import { shapeOf } from "../suite/contract/shape.ts";
import { sampleOf } from "../suite/models/derive/samples.ts";
import { newId } from "./delivery.ts";

/** The body of a delivery. */
export type Event = { type: string; timestamp: string; data: Record<string, unknown> };

type Schemas = { Event: { anyOf: Schema[] }; EventPage: { examples: { data: Event[] }[] } };

const { schemas } = contract.components as { schemas: Schemas };

/** An event of this type that happened now. */
export function eventOf(type: string): Event {
  const { data } = exampleOf(type) ?? sampled(type);
  const ids = Object.keys(data).filter((name) => name === "id" || name === "donationId");
  const marks = { source: "test", isTest: true, ...statusOf(type), ...Object.fromEntries(ids.map((name) => [name, newId()])) };
  const known = Object.entries(marks).filter(([name]) => name in data);
  return { type, timestamp: new Date().toISOString(), data: { ...data, ...Object.fromEntries(known) } };
}

/** The example of a page of events that has this type. */
function exampleOf(type: string): Event | undefined {
  return schemas.EventPage.examples.flatMap(({ data }) => data).find((event) => event.type === type);
}

function sampled(type: string): Event {
  const variants = schemas.Event.anyOf.map((variant) => shapeOf(variant, contract));
  const variant = variants.find(({ properties }) => typesOf(properties.type).includes(type));
  if (!variant) throw new Error(`the contract has no event of the type ${type}`);
  return sampleOf(variant, 0) as Event;
}

/** The values of a member that is one text or one of several. */
const typesOf = (shape: Shape | undefined): unknown[] => (shape ? [...(shape.enum ?? []), ...shape.union.flatMap(typesOf)] : []);

type Shape = ReturnType<typeof shapeOf>;

/** The status that an alert has since its event, and why. */
function statusOf(type: string): object {
  const [subject, happened = ""] = type.split(".");
  if (subject !== "alert") return {};
  return statusAfter[happened] ?? { status: happened, reason: null };
}

/** The status of an alert after an event that does not have its name: an own statement of the interface, since the suite reads nothing of `src/`. */
const statusAfter: Readonly<Record<string, { status: string; reason: string | null }>> = {
  started: { status: "playing", reason: null },
  held: { status: "queued", reason: null },
  approved: { status: "queued", reason: null },
  denied: { status: "skipped", reason: "denied" },
  skipped: { status: "skipped", reason: "control" },
};
