// Uploads of images and sounds: large bodies that must not be read for a stranger, nor kept while they never end.

import { type Attack, type AttackedServer, byScale, type Scale } from "../attack.ts";
import { memoryOf } from "../longest-wait.ts";
import { runBesideRegularClient } from "../regular-client.ts";
import { formatStatusCounts, openConnection, readUntilClosed, runInTime, statusOf, waitUntilReleased } from "../sockets.ts";
import { logIn } from "../studio-browser.ts";

const mebibyte = 1_048_576;
const maxPerSender = 2;

const head = (path: string, length: number, lines: readonly string[]): string =>
  [`POST ${path} HTTP/1.1`, "Host: h", `Content-Length: ${length}`, ...lines, "", ""].join("\r\n");
const form = "Content-Type: multipart/form-data; boundary=x";
const file = (key: string): string[] => ["Content-Type: image/png", `Authorization: Bearer ${key}`];

/** Forms with files, by their paths. `most`: unfinished ones of an address. */
const studioForms = {
  "/studio/designer/upload": { name: "images", bytes: 9 * mebibyte, most: 2 },
  "/studio/import/check": { name: "files to import", bytes: 2 * mebibyte, most: 4 },
} as const;

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
        return keepOpen(server, bytes, maxPerSender);
      }),
  },
  ...Object.entries(studioForms).map(([path, { name, bytes, most }]) => ({
    rule: `one address keeps at most ${most} unfinished uploads of ${name} to the studio open, and other clients are served meanwhile`,
    run: async (server: AttackedServer, scale: Scale) => {
      const cookie = await logIn(server);
      const lines = [form, `Cookie: ${cookie}`, `Origin: ${server.url}`];
      const part = Buffer.from('--x\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n');
      // The headers of the part do not end.
      const request = Buffer.concat([
        Buffer.from(head(path, bytes, lines)),
        part,
        Buffer.alloc(byScale(scale, 1, bytes / mebibyte - 1) * mebibyte, "a: b\r\n"),
      ]);
      return runBesideRegularClient(server, () => keepOpen(server, request, most));
    },
  })),
];

/** Opens connections with unfinished requests, of which the server leaves this many. */
function keepOpen(server: AttackedServer, request: Uint8Array, most: number): Promise<string> {
  return runInTime(server, {
    count: 120,
    one: () => openConnection(server, request),
    settle: async (connections) => {
      const before = await memoryOf(server);
      const took = await waitUntilReleased(server, connections, most);
      const answers = formatStatusCounts(connections.map(({ text }) => statusOf(text())));
      const memory = `${Math.round(before ?? 0)} to ${Math.round((await memoryOf(server)) ?? 0)} MB`;
      return `${connections.length} connections: ${answers}; at most ${most} open after ${took}; the server has ${memory}`;
    },
  });
}
