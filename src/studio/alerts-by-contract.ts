// The studio does with alerts what the contract's operations do, no more and no less.

import type { Ask, Question } from "../http/invoke.ts";
import type { OperationId, Principal, Scope } from "../http/operations.ts";
import type { Alerts, Control } from "./studio-deps.ts";

export type ContractParts = Readonly<{
  ask: Ask;
  scopes: readonly Scope[];
  /** The application that records the streamer's test alerts. Reading needs none. */
  application: (streamerId: string) => Promise<string>;
}>;

const operations = { pause: "pauseAlerts", resume: "resumeAlerts", skip: "skipAlert", clear: "clearAlerts" } as const satisfies Record<
  Control,
  OperationId
>;

const latest = { sort: "-receivedAt", source: ["external", "native", "test"], limit: 10 };

export function alertsByContract({ ask, scopes, application }: ContractParts): Alerts {
  const as = <Id extends OperationId>(streamerId: string, id: Id, question?: Question, applicationId = "") => {
    const principal: Principal = { streamerId, applicationId, scopes, credential };
    return ask(id, principal, question);
  };
  return {
    queue: async (streamerId) => (await as(streamerId, "getAlertQueue")).body.data,
    control: async (streamerId, control) => void (await as(streamerId, operations[control])),
    replay: async (streamerId, donationId) => void (await as(streamerId, "replayAlert", { path: { donationId } })),
    sendTest: async (streamerId, body) => void (await as(streamerId, "sendTestAlert", { body }, await application(streamerId))),
    settings: async (streamerId) => (await as(streamerId, "getAlertSettings")).body.data,
    change: async (streamerId, body) => void (await as(streamerId, "updateAlertSettings", { body })),
    latest: async (streamerId) => (await as(streamerId, "listDonations", { query: latest })).body.data,
  };
}

/** A session is none of the contract's credentials; handlers of alerts and donations look at the streamer and application only. */
const credential: Principal["credential"] = { kind: "api_key", id: "studio" };
