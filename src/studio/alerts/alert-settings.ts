// A streamer's alert settings, variations included.

import type { Settings } from "../../alerts/settings/settings.ts";
import type { StreamerClient } from "../streamer-client.ts";

export async function readAlertSettings(client: StreamerClient, streamerId: string): Promise<Settings> {
  return (await client.call(streamerId, "getAlertSettings")).body.data;
}
