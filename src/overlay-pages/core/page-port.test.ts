import { expect, test } from "vitest";
import type { FromPage, Hello, ToPage } from "./messages.ts";
import { servePage } from "./page-coordinator.ts";
import { playbackOf } from "./testing.ts";
import { connected, startScenario } from "./testing-coordinator.ts";

const hello: Hello = { type: "hello", key: "k", api: "/", kind: "overlay", player: "p", playing: null, ended: [] };

test("a page that says hello twice is one page: its alert plays on, and it is never taken for lost", async () => {
  const { coordinator, ...rest } = startScenario();
  const heard: ToPage[] = [];
  const send: (message: FromPage) => void = servePage(
    () => coordinator,
    (message) => {
      heard.push(message);
      if (message.type === "ping") queueMicrotask(() => send({ type: "pong" }));
    },
  );
  send(hello);
  const a = playbackOf("a");
  const stream = await connected({ coordinator, ...rest });
  await stream.send("playback", a);
  send({ ...hello, playing: { playback: a, started: false } });
  await rest.clock.advance(20_000);
  expect(heard.filter(({ type }) => ["play", "stop", "lost"].includes(type))).toEqual([{ type: "play", playback: a }]);
});
