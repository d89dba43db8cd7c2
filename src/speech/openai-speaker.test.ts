import { expect, test } from "vitest";
import { openaiSpeaker } from "./openai-speaker.ts";
import { key, testCloudEngine, voicesOf } from "./testing.ts";

const make = (url: string, token: string) => openaiSpeaker({ url: `${url}/v1`, token, model: null, voice: null });

testCloudEngine(
  {
    make,
    isRight: ({ headers }) => headers.authorization === `Bearer ${key}`,
    audio: (response, bytes) => response.writeHead(200, { "Content-Type": "audio/mpeg" }).end(bytes),
  },
  ({ method, path, body }) => {
    expect([method, path]).toEqual(["POST", "/v1/audio/speech"]);
    expect(JSON.parse(body)).toEqual({
      model: "gpt-4o-mini-tts",
      input: "สมชาย & <b>นก</b> โดเนทห้าสิบบาท",
      voice: "coral",
      response_format: "mp3",
    });
  },
);

test("OpenAI's own voices are those of its reference, because its API lists none", async () => {
  const voices = await openaiSpeaker({ url: null, token: key, model: null, voice: null }).voices?.(AbortSignal.timeout(5_000));
  expect(voices).toContainEqual({ name: "coral", language: "Multilingual" });
});

test.each([
  [{ voices: ["af_bella", "th_nok"] }, ["af_bella", "th_nok"]],
  [{ voices: [{ id: "th_nok", name: "Nok" }] }, ["th_nok"]],
  [[{ name: "nok", language: "th" }], ["nok"]],
  [{ voices: [null, 1, {}] }, []],
  [{}, []],
])("a local server that answers %j has the voices %j", async (list, names) => {
  const { voices, asked } = await voicesOf(make, list);
  expect((voices as { name: string }[]).map(({ name }) => name)).toEqual(names);
  expect(asked[0]).toMatchObject({ method: "GET", path: "/v1/audio/voices" });
});
