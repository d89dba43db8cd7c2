// What is said of an event that does not fit the contract.

import { expect, test } from "vitest";
import { operation } from "../../suite/contract/contract.ts";
import { sealed } from "../../suite/contract/schemas.ts";

const { responses } = operation("streamOverlay");
const sent = String(responses["200"]?.content?.["text/event-stream"]?.example);
const snapshot = { event: "snapshot", data: JSON.parse(/^data: (.*)$/m.exec(sent)?.[1] ?? "") as object };

const faultsOf = (event: unknown): string[] => sealed("#/components/schemas/OverlayEvent", event);

test("a snapshot whose data has a member too many is refused by that member alone", () => {
  expect(faultsOf(snapshot)).toEqual([]);
  expect(faultsOf({ ...snapshot, data: { ...snapshot.data, mood: "calm" } })).toEqual([
    "/data has the member mood, which the contract does not name",
  ]);
});

test("an event of a kind that is not listed first is refused by the faults of its own kind", () =>
  expect(faultsOf({ event: "role", data: { role: "player", mood: "calm" } })).toEqual([
    "/data has the member mood, which the contract does not name",
  ]));

test("an event of an unknown kind is refused with the names of the known ones", () =>
  expect(faultsOf({ ...snapshot, event: "snap" }).join()).toContain(
    '/event must be equal to one of the allowed values {"allowedValues":["role"]}',
  ));
