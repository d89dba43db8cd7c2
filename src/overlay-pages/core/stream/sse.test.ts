import fc from "fast-check";
import { expect, test } from "vitest";
import { type ServerEvent, sseReader } from "./sse.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

function read(...chunks: Uint8Array[]): ServerEvent[] {
  const events: ServerEvent[] = [];
  const feed = sseReader((event) => events.push(event));
  for (const chunk of chunks) feed(chunk);
  return events;
}

test.each([
  ["an event with its data", "event: stop\ndata: 1\n\n", [{ event: "stop", data: "1" }]],
  ["data of several lines", "data: a\ndata:b\ndata:  c\n\n", [{ event: "message", data: "a\nb\n c" }]],
  [
    "CRLF",
    "event: a\r\ndata: 1\r\n\r\ndata: 2\r\n\r\n",
    [
      { event: "a", data: "1" },
      { event: "message", data: "2" },
    ],
  ],
  [
    "CR",
    "data: 1\r\rdata: 2\r\r\n",
    [
      { event: "message", data: "1" },
      { event: "message", data: "2" },
    ],
  ],
  ["comments", ": heartbeat\n\n:\ndata: 1\n: in the middle\n\n", [{ event: "message", data: "1" }]],
  ["unknown fields, id and retry", "id: 7\nretry: 1\nfoo: x\nbar\ndata: 1\n\n", [{ event: "message", data: "1" }]],
  ["a name without data, which is no event", "event: a\n\ndata: 1\n\n", [{ event: "message", data: "1" }]],
  ["empty data", "data\n\n", [{ event: "message", data: "" }]],
  ["colons in data", 'data: {"a":"b: c"}\n\n', [{ event: "message", data: '{"a":"b: c"}' }]],
  ["a byte order mark", "\uFEFFdata: 1\n\n", [{ event: "message", data: "1" }]],
  ["an event that is not complete", "data: 1\n\ndata: 2\n", [{ event: "message", data: "1" }]],
])("an event stream is read correctly: %s", (_title, text, events) => {
  expect(read(bytes(text))).toEqual(events);
});

test("events do not depend on how the network splits the stream into chunks", () => {
  const text = "event: playback\r\ndata: น้ำใจ 🐱 กุ้ง\r\n\r\n: x\n\ndata: a\rdata: b\r\rdata: c\n\n";
  const whole = read(bytes(`${text}\n`));
  expect(whole.length).toBe(3);
  const all = bytes(`${text}\n`);
  fc.assert(
    fc.property(fc.array(fc.nat(all.length), { maxLength: 12 }), (cuts) => {
      const places = [0, ...cuts.sort((a, b) => a - b), all.length];
      const chunks = places.slice(1).map((end, index) => all.slice(places[index], end));
      expect(read(...chunks)).toEqual(whole);
    }),
  );
});

test("an event that is too long throws", () => {
  const feed = sseReader(() => {});
  const mebibyte = bytes("x".repeat(1024 * 1024));
  expect(() => {
    for (let count = 0; count < 6; count += 1) feed(mebibyte);
  }).toThrow("too long");
});
