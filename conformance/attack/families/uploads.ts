// Uploads of images and sounds: large bodies that must not be read for a stranger, nor kept while they never end.

import { type Attack, byScale } from "../attack.ts";
import { runInTime } from "../body-time-limit.ts";
import { runBesideRegularClient } from "../regular-client.ts";
import { formatStatusCounts, openConnection, readUntilClosed, statusOf, waitUntilReleased } from "../sockets.ts";

const mebibyte = 1_048_576;
const maxPerSender = 2;

const head = (path: string, length: number, lines: readonly string[]): string =>
  [`POST ${path} HTTP/1.1`, "Host: h", `Content-Length: ${length}`, ...lines, "", ""].join("\r\n");
const form = "Content-Type: multipart/form-data; boundary=x";
const file = (key: string): string[] => ["Content-Type: image/png", `Authorization: Bearer ${key}`];

export const uploads: readonly Attack[] = [
  {
    rule: "an upload of a stranger, from another origin or of too many bytes is answered before its body arrives, and its connection is closed",
    run: async (server) => {
      const { uploader, attacker } = server.keys;
      const heads: [status: number, bytes: string][] = [
        [303, head("/studio/designer/upload", 9 * mebibyte, [form])],
        [303, head("/studio/designer/upload", 9 * mebibyte, [form, `Cookie: namjai_session=${"x".repeat(43)}`])],
        [403, head("/studio/designer/upload", 9 * mebibyte, [form, "Origin: https://evil.example"])],
        [303, head("/studio/import/check", 2 * mebibyte, [form])],
        [401, head("/api/v1/alert-files?name=a", 9 * mebibyte, ["Content-Type: image/png"])],
        [403, head("/api/v1/alert-files?name=a", 9 * mebibyte, file(attacker))],
        [413, head("/api/v1/alert-files?name=a", 10 * mebibyte + 1, file(uploader))],
      ];
      const answers = await Promise.all(heads.map(async ([, bytes]) => statusOf(await readUntilClosed(server, bytes))));
      const expected = heads.map(([status]) => status);
      if (String(answers) !== String(expected)) throw new Error(`${answers} instead of ${expected}`);
      return formatStatusCounts(answers);
    },
  },
  {
    rule: "one credential keeps at most 2 unfinished uploads open, and other clients are served meanwhile",
    run: (server, scale) =>
      runBesideRegularClient(server, () => {
        const bytes = Buffer.concat([
          Buffer.from(head("/api/v1/alert-files?name=a", 10 * mebibyte, file(server.keys.uploader))),
          Buffer.alloc(byScale(scale, 1, 9) * mebibyte),
        ]);
        return runInTime(server, {
          count: 120,
          one: () => openConnection(server, bytes),
          settle: async (connections) => {
            const took = await waitUntilReleased(server, connections, maxPerSender);
            const answers = formatStatusCounts(connections.map(({ text }) => statusOf(text())));
            return `${connections.length} connections: ${answers}; at most ${maxPerSender} open after ${took}`;
          },
        });
      }),
  },
];
