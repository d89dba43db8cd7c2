// Bodies that take the server long to judge, and must not keep it from serving others meanwhile.

import { type Attack, type AttackedServer, byScale } from "../attack.ts";

const minServed = 20;

export const slowLines: readonly Attack[] = [
  {
    rule: "while lines that are no JSON are imported, other requests are served between them",
    run: async (server, scale) => {
      const lines = byScale(scale, 40_000, 90_000); // within the burst of the rate limit
      let isOver = false;
      const sent = importLines(server, "x\n".repeat(lines)).finally(() => void (isOver = true));
      let served = 0;
      while (!isOver) {
        await (await fetch(`${server.url}/livez`)).arrayBuffer();
        served += 1;
      }
      const answered = await sent;
      if (answered !== lines) throw new Error(`${answered} of ${lines} lines were answered`);
      if (served < minServed) throw new Error(`${served} requests were served while ${lines} lines were imported`);
      return `${served} requests served while ${lines} lines were imported`;
    },
  },
];

/** Resolves to the number of lines of the answer. */
async function importLines({ url, keys }: AttackedServer, body: string): Promise<number> {
  const headers = { Authorization: `Bearer ${keys.uploader}`, "Content-Type": "application/x-ndjson" };
  const answer = await fetch(`${url}/api/v1/donations/batch`, { method: "POST", headers, body });
  let count = 0;
  for await (const chunk of answer.body ?? []) for (const byte of chunk) if (byte === 0x0a) count += 1;
  return count;
}
