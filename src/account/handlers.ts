// Who is asking.

import type { Handler } from "../http/operations.ts";
import type { Streamers } from "./streamers.ts";

export const getMe =
  ({ streamers }: { streamers: Pick<Streamers, "names"> }): Handler<"getMe"> =>
  async (_request, { streamerId, applicationId, credential, scopes }) => {
    if (credential.kind === "overlay_key") throw new Error("the router keeps overlay keys out");
    const { streamer, application } = await streamers.names(streamerId, applicationId);
    return { status: 200, body: { data: { streamer, credential: credential.kind, application, scopes: [...scopes] } } };
  };
