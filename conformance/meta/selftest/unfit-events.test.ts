// What is said of an event that does not fit the contract.

import { expect, test } from "vitest";
import { operation } from "../../suite/contract/contract.ts";
import { sealed } from "../../suite/contract/schemas.ts";

const { responses } = operation("streamOverlay");
const snapshot = responses["200"]?.content?.["text/event-stream"]?.example as { event: string; data: object };

const faultsOf = (event: unknown): string[] => sealed("#/components/schemas/OverlayEvent", event);

test("of a snapshot whose data has a member too many, that member alone is named", () => {
  expect(faultsOf(snapshot)).toEqual([]);
  expect(faultsOf({ ...snapshot, data: { ...snapshot.data, mood: "calm" } })).toEqual([
    "/data has the member mood, which the contract does not name",
  ]);
});

test("of an event that is not the first of its kinds, the faults of its own kind are named", () =>
  expect(faultsOf({ event: "role", data: { role: "player", mood: "calm" } })).toEqual([
    "/data has the member mood, which the contract does not name",
  ]));

test("of an event of an unknown kind, the kinds are named", () =>
  expect(faultsOf({ ...snapshot, event: "snap" }).join()).toContain(
    '/event must be equal to one of the allowed values {"allowedValues":["role"]}',
  ));
