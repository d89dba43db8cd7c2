import fc from "fast-check";
import { test } from "vitest";
import { holds } from "../../suite/client/holds.ts";
import { type Command, commands, expectModelState, newModelState, stepNames } from "../../suite/models/donation-model.ts";
import { expectEdges } from "../../suite/values/score.ts";

test("donations, replays, voids, reads, reports, tokens and revocations in any order give what a plain model computes", async () => {
  await holds(
    commands(),
    async (some: Iterable<Command>) => {
      const state = await newModelState();
      await fc.asyncModelRun(() => ({ model: state, real: {} }), some);
      await expectModelState(state);
    },
    { runs: 40, concurrency: 4 },
  );
  expectEdges(stepNames());
});
