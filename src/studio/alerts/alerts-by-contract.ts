// The studio's alerts, by invoking the contract's operations: the studio has the same rules as the API.

import type { OperationId } from "../../http/operations.ts";
import type { CallAsStreamer, CheckCall } from "../call-as-streamer.ts";
import type { Alerts, Control, Decision } from "./alerts-deps.ts";

export type ContractDeps = Readonly<{
  as: CallAsStreamer;
  check: CheckCall;
  /** Resolves to the application that records the streamer's test alerts. Other operations need none. */
  application: (streamerId: string) => Promise<string>;
  /** Not the contract's: no operation shows the notes, asks whether alerts are held, or for the events of one donation. */
  own: Pick<Alerts, "voidNotes" | "held" | "story">;
}>;

const operations = {
  ...({ pause: "pauseAlerts", resume: "resumeAlerts", skip: "skipAlert", clear: "clearAlerts" } as const),
  ...({ hide: "hideAlerts", unhide: "unhideAlerts" } as const),
} satisfies Record<Control, OperationId>;

const decisionsOf = {
  ...({ approve: "approveAlert", mask: "maskAlert", deny: "denyAlert", skip: "skipOneAlert", next: "playAlertNext" } as const),
} satisfies Record<Decision, OperationId>;

const latest = { sort: "-createdAt", source: ["external", "native", "test"], status: "all", limit: 5 };

export function contractAlerts({ as, check, application, own }: ContractDeps): Alerts {
  return {
    queue: async (streamerId) => (await as(streamerId, "getAlertQueue")).body.data,
    control: async (streamerId, control) => void (await as(streamerId, operations[control])),
    replay: async (streamerId, donationId) => void (await as(streamerId, "replayAlert", { path: { donationId } })),
    decide: async (streamerId, donationId, decision) => void (await as(streamerId, decisionsOf[decision], { path: { donationId } })),
    sendTest: async (streamerId, body) => void (await as(streamerId, "sendTestAlert", { body }, await application(streamerId))),
    settings: async (streamerId) => (await as(streamerId, "getAlertSettings")).body.data,
    check: async (body, faults) => check("updateAlertSettings", { body, faults }),
    change: async (streamerId, body) => void (await as(streamerId, "updateAlertSettings", { body })),
    donation: async (streamerId, donationId) => (await as(streamerId, "getDonation", { path: { donationId } })).body.data,
    void: async (streamerId, donationId, body) => void (await as(streamerId, "voidDonation", { path: { donationId }, body })),
    ...own,
    latest: async (streamerId) => (await as(streamerId, "listDonations", { query: latest })).body.data,
  };
}
