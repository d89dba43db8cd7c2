import fc from "fast-check";
import { test } from "vitest";
import { expectEdges } from "../../harness/client/score.ts";
import { holds } from "../../harness/generators/holds.ts";
import { type Command, commands, expectWorld, newWorld, stepNames } from "../../harness/models/donation-model.ts";

test("donations, replays, voids, reads, reports, tokens and revocations in any order give what a plain model computes", async () => {
  await holds(
    commands(),
    async (some: Iterable<Command>) => {
      const world = await newWorld();
      await fc.asyncModelRun(() => ({ model: world, real: {} }), some);
      await expectWorld(world);
    },
    { runs: 40, concurrency: 4 },
  );
  expectEdges(stepNames());
});
