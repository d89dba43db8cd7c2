// The operation getMe.

import type { BatchedReads } from "../db/batched-reads.ts";
import type { Handler } from "../http/operations.ts";
import { namesOf } from "./streamers.ts";

export const getMe =
  ({ reads }: { reads: BatchedReads }): Handler<"getMe"> =>
  async (_request, { streamerId, applicationId, credential, scopes }) => {
    if (credential.kind === "overlay_key") throw new Error("the router keeps overlay keys out");
    const { streamer, application } = await namesOf(reads, streamerId, applicationId);
    return { status: 200, body: { data: { streamer, credential: credential.kind, application, scopes: [...scopes] } } };
  };
