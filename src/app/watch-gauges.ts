// The gauges of metrics that several folders answer.

import type { OverlayService } from "../alerts/open-overlay.ts";
import { isDiskFull } from "../db/full-disks.ts";
import type { EventsService } from "../events/open-events.ts";
import type { AppDeps } from "./app-deps.ts";

export function watchGauges({ database, metrics }: AppDeps, overlay: OverlayService, events: EventsService): void {
  metrics.pools(database.pools());
  metrics.gauge("overlay_connections", "Overlay and widget connections of this process.", overlay.connected);
  metrics.gauge("event_streams", "Streams of events of this process.", events.streams);
  metrics.labelledGauge({
    name: "disk_full",
    help: "1 when the disk of the database, or of the server, was full within the last half minute: what needs room is refused.",
    label: "disk",
    read: () => ({ database: Number(isDiskFull("database")), server: Number(isDiskFull("server")) }),
  });
  metrics.databaseGauge({
    name: "webhook_undelivered_seconds",
    help: "Age of the oldest event that has not arrived, by state: waiting (for its first attempt), retrying, failing (waits at an endpoint whose last attempt failed), disabled (waits at a disabled endpoint).",
    read: events.webhooks.undelivered,
  });
  metrics.databaseGauge({
    name: "webhook_endpoints",
    help: "Webhooks by state: working, failing (the last attempt failed), disabled.",
    read: events.webhooks.endpoints,
  });
  metrics.databaseGauge({
    name: "alert_queue_age_seconds",
    help: "How long the oldest alert has waited for an overlay that is connected.",
    read: overlay.queueAge,
  });
}
