import fc from "fast-check";
import { afterEach, test } from "vitest";
import { closeStreams } from "../../suite/client/events/event-stream.ts";
import { holds } from "../../suite/client/holds.ts";
import { control, freshQueue } from "../../suite/client/overlay/alert-controls.ts";
import { type EventsCommand, eventCommands, eventStepNames, expectLog, newEventsModelState } from "../../suite/models/events-model.ts";
import { expectEdges } from "../../suite/values/score.ts";

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
