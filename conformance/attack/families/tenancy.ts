// Asks for what another streamer has, with every operation that takes an id.

import { operations } from "../../suite/contract/contract.ts";
import type { Attack } from "../attack.ts";
import { formatStatusCounts } from "../sockets.ts";

const webhooks = "/api/v1/webhooks";

export const tenancy: readonly Attack[] = [
  {
    rule: "no operation finds another streamer's donation, alert or webhook by its id",
    run: async ({ url, keys }) => {
      const headers = { Authorization: `Bearer ${keys.regularClient}`, "Content-Type": "application/json" };
      const make = async (at: string, body: object): Promise<string> => {
        const answer = await fetch(url + at, { method: "POST", headers, body: JSON.stringify(body) });
        if (answer.status !== 201) throw new Error(`POST ${at}: ${answer.status} ${await answer.text()}`);
        return ((await answer.json()) as { data: { id: string } }).data.id;
      };
      const donationId = await make("/api/v1/donations", { donatorName: "a", amount: 1 });
      const webhookId = await make(webhooks, { url: "https://receiver.test/" });
      const ids: Record<string, string> = { webhookId };
      const withId = operations.filter((operation) => operation.scopes !== null && operation.path.includes("{"));
      const otherStreamer = { ...headers, Authorization: `Bearer ${keys.largeHistory}` };
      const statuses: number[] = [];
      for (const { method, path, requestBody } of withId) {
        const address = url + path.replace(/\{([^}]*)\}/g, (_, name: string) => ids[name] ?? donationId);
        const sent = requestBody === null ? {} : { body: JSON.stringify(requestBody.content["application/json"]?.example ?? {}) };
        const answer = await fetch(address, { method, headers: otherStreamer, ...sent });
        const text = await answer.text();
        if (answer.status !== 404 || text.includes("donatorName")) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
        statuses.push(answer.status);
      }
      await fetch(`${url}${webhooks}/${webhookId}`, { method: "DELETE", headers });
      return `${statuses.length} operations: ${formatStatusCounts(statuses)}`;
    },
  },
];
