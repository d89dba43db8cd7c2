// Composes the voiding of donations from what reports, overlay and events change with it; the server and the command line share it.

import type { Knex } from "knex";
import { endAlerts } from "../alerts/store/end-alerts.ts";
import { recordVoided } from "../events/voided.ts";
import { holdRollUps } from "../reports/removal/removal.ts";
import { makeVoider as compose, type Voider } from "./void-donations.ts";

/** `announce`: called with the streamer after a commit; other processes find the change by themselves within a second. */
export function makeVoider(knex: Knex, announce: (streamerId: string) => void): Voider {
  return compose({ knex, holdRollUps, endAlerts, recordEvents: recordVoided, announce });
}
