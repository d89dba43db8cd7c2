import { expect, test } from "vitest";
import { azureSpeaker } from "./azure-speaker.ts";
import { key, startEngine, testCloudEngine, voicesOf } from "./testing.ts";

const make = (url: string, token: string) => azureSpeaker({ url, region: null, token, voice: null });

testCloudEngine(
  {
    make,
    isRight: ({ headers }) => headers["ocp-apim-subscription-key"] === key,
    audio: (response, bytes) => response.writeHead(200, { "Content-Type": "audio/mpeg" }).end(bytes),
  },
  ({ method, path, headers, body }) => {
    expect([method, path]).toEqual(["POST", "/cognitiveservices/v1"]);
    expect(headers).toMatchObject({
      "content-type": "application/ssml+xml",
      "x-microsoft-outputformat": "audio-24khz-48kbitrate-mono-mp3",
    });
    expect(headers["user-agent"]).toBeTruthy();
    expect(body).toBe(
      '<speak version="1.0" xmlns="http://www.w3.org/2001/10/synthesis" xml:lang="th-TH"><voice name="th-TH-PremwadeeNeural">สมชาย &amp; &lt;b&gt;นก&lt;/b&gt; โดเนทห้าสิบบาท</voice></speak>',
    );
  },
);

test("characters that XML does not allow are left out, and no text or voice adds markup", async () => {
  const { url, asked } = await startEngine((response) => response.writeHead(200, { "Content-Type": "audio/mpeg" }).end("ID3"));
  const utterance = { text: "a\0\ud800\uffff</voice>", language: "th", voice: 'x"><break/>' } as const;
  await make(url, key).speak(utterance, AbortSignal.timeout(5_000));
  expect(asked[0]?.body).toContain('<voice name="x&quot;&gt;&lt;break/&gt;">a&lt;/voice&gt;</voice>');
});

test("the voices are those that speak Thai", async () => {
  const { voices, asked } = await voicesOf(make, [
    { ShortName: "th-TH-NiwatNeural", Locale: "th-TH", LocaleName: "Thai (Thailand)", Gender: "Male" },
    { ShortName: "en-US-AvaMultilingualNeural", Locale: "en-US", Gender: "Female", SecondaryLocaleList: ["de-DE", "th-TH"] },
    { ShortName: "de-DE-KatjaNeural", Locale: "de-DE", Gender: "Female" },
  ]);
  expect(voices).toEqual([
    { name: "th-TH-NiwatNeural", language: "Thai (Thailand), male" },
    { name: "en-US-AvaMultilingualNeural", language: "en-US, female" },
  ]);
  expect(asked[0]?.path).toBe("/cognitiveservices/voices/list");
});

test("without an address the region names the host", () => {
  expect(azureSpeaker({ url: null, region: "southeastasia", token: key, voice: null }).id).toContain(
    "https://southeastasia.tts.speech.microsoft.com/",
  );
});
