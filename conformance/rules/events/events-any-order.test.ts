import fc from "fast-check";
import { afterEach, test } from "vitest";

import { expectEdges } from "../../harness/client/score.ts";
import { closeStreams } from "../../harness/events/event-stream.ts";
import { holds } from "../../harness/generators/holds.ts";
import { type EventsCommand, eventCommands, eventStepNames, expectLog, newEventsModelState } from "../../harness/models/events-model.ts";
import { control, freshQueue } from "../../harness/overlay/alert-controls.ts";

afterEach(async () => {
  closeStreams();
  await freshQueue();
});

test("donations, replays, voids, cleared alerts, pages and subscriptions from any cursor in any order give what a plain list says", async () => {
  await holds(
    eventCommands(),
    async (some: Iterable<EventsCommand>) => {
      await freshQueue();
      await control("pause"); // an alert waits until it is cleared
      const state = await newEventsModelState();
      await fc.asyncModelRun(() => ({ model: state, real: {} }), some);
      await expectLog(state);
    },
    { runs: 20, concurrency: 1 },
  );
  expectEdges(eventStepNames());
});
