import { expect, test } from "vitest";
import { sendDue } from "./batches.ts";

test("an event that can't be read keeps no answer of the same batch from being committed, and is due again", async () => {
  const committed: string[][] = [];
  const due = [1, 2].map((position) => ({ eventId: `e${position}`, type: "donation.created" as const, position, failures: 0 }));
  const deps = {
    store: {
      due: async () => due,
      commit: async ({ written }: { written: readonly { eventId: string }[] }) => {
        committed.push(written.map(({ eventId }) => eventId));
        return true;
      },
    },
    events: {
      read: async ({ after }: { after: number }) => {
        if (after === 1) throw new Error("the connection was lost");
        return { events: [{ id: "e1", type: "donation.created", position: 1, at: 0, donationId: null }], position: 1, hasMore: false };
      },
    },
    random: () => 0,
    now: () => 0,
    onAttempt: () => {},
  };
  const attempt = { at: 0, status: 200, ms: 1, answer: null, error: null };
  const request = {
    held: {
      id: "endpoint",
      streamerId: "s",
      applicationId: "a",
      types: ["donation.created"],
      secrets: [],
      position: 2,
      failingSince: null,
    },
    connection: { send: async () => ({ attempt, retryAfterMs: null }) },
    isSlow: false,
    isStopping: () => false,
  };
  await expect(sendDue(deps as never, request as never)).rejects.toThrow("the connection was lost");
  expect(committed).toEqual([["e1"]]);
});
