import { expect, test } from "vitest";
import { googleSpeaker } from "./google-speaker.ts";
import { key, startEngine, testCloudEngine, voicesOf } from "./testing.ts";

const make = (url: string, token: string) => googleSpeaker({ url: `${url}/v1`, token, voice: null });

testCloudEngine(
  {
    make,
    isRight: ({ headers }) => headers["x-goog-api-key"] === key,
    audio: (response, bytes) =>
      response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify({ audioContent: bytes.toString("base64") })),
  },
  ({ method, path, body }) => {
    expect([method, path]).toEqual(["POST", "/v1/text:synthesize"]);
    expect(JSON.parse(body)).toEqual({
      input: { text: "สมชาย & <b>นก</b> โดเนทห้าสิบบาท" },
      voice: { languageCode: "th-TH" },
      audioConfig: { audioEncoding: "MP3" },
    });
  },
);

test.each([
  ["th-TH-Neural2-C", "th-TH"],
  ["en-US-Chirp3-HD-Achernar", "en-US"],
])("the voice %s is asked for with its language %s", async (voice, languageCode) => {
  const { url, asked } = await startEngine((response) => response.writeHead(200).end('{"audioContent":"SUQz"}'));
  await googleSpeaker({ url, token: key, voice }).speak({ text: "ก", language: "th" }, AbortSignal.timeout(5_000));
  expect(JSON.parse(asked[0]?.body ?? "").voice).toEqual({ languageCode, name: voice });
});

test("the voices are those that speak Thai, with their gender", async () => {
  const list = { voices: [{ languageCodes: ["th-TH"], name: "th-TH-Neural2-C", ssmlGender: "FEMALE", naturalSampleRateHertz: 24_000 }] };
  const { voices, asked } = await voicesOf(make, list);
  expect(voices).toEqual([{ name: "th-TH-Neural2-C", language: "th-TH, female" }]);
  expect(asked[0]).toMatchObject({ method: "GET", path: "/v1/voices?languageCode=th-TH" });
});

test("an answer without audio is a failure of the engine", async () => {
  const { url } = await startEngine((response) => response.writeHead(200).end("{}"));
  await expect(make(url, key).speak({ text: "ก", language: "th" }, AbortSignal.timeout(5_000))).rejects.toThrow("answered no audio");
});
