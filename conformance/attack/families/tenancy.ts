// Requests another streamer's donation with every operation that takes an id.

import { operations } from "../../harness/oracle/contract.ts";
import type { Attack } from "../attack.ts";
import { formatStatusCounts } from "../sockets.ts";

export const tenancy: readonly Attack[] = [
  {
    rule: "no operation finds another streamer's donation or alert by its id",
    run: async ({ url, keys }) => {
      const headers = { Authorization: `Bearer ${keys.regularClient}`, "Content-Type": "application/json" };
      const created = await fetch(`${url}/api/v1/donations`, { method: "POST", headers, body: '{"donatorName":"a","amount":1}' });
      const own = (await created.json()) as { data: { id: string } };
      const withId = operations.filter(({ path, scopes }) => scopes !== null && path.includes("{"));
      const otherStreamer = { ...headers, Authorization: `Bearer ${keys.largeHistory}` };
      const statuses: number[] = [];
      for (const { method, path } of withId) {
        const address = `${url}${path.replace(/\{[^}]*\}/g, own.data.id)}`;
        const answer = await fetch(address, { method, headers: otherStreamer, ...(method === "GET" ? {} : { body: "{}" }) });
        const text = await answer.text();
        if (answer.status !== 404 || text.includes("donatorName")) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
        statuses.push(answer.status);
      }
      return `${statuses.length} operations: ${formatStatusCounts(statuses)}`;
    },
  },
];
