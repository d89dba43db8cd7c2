import { expect, test } from "vitest";
import { firebotListId, firebotSetup, obsCollection } from "./recipes.ts";

type Item = { name: string; source_uuid: string; pos: { x: number; y: number } };
type Source = { name: string; uuid: string; id: string; settings: { url?: string; width: number; height: number; items?: Item[] } };

const collection = obsCollection("https://donations.example/base") as { current_scene: string; sources: Source[] };
const scene = collection.sources.find(({ id }) => id === "scene");
const pages = collection.sources.filter(({ id }) => id === "browser_source");

test("every item of OBS' scene is one of the collection's sources, by name and id, and every page is in the scene once", () => {
  expect(collection.current_scene).toBe(scene?.name);
  const known = pages.map(({ name, uuid }) => `${name} ${uuid}`).sort();
  expect(scene?.settings.items?.map(({ name, source_uuid }) => `${name} ${source_uuid}`).sort()).toEqual(known);
  expect(new Set(collection.sources.map(({ uuid }) => uuid)).size).toBe(pages.length + 1);
});

test("every browser source of OBS' scene lies within 1920 × 1080 and shows a page of this server with the key's place", () => {
  for (const { name, settings } of pages) {
    const { x = 0, y = 0 } = scene?.settings.items?.find((item) => item.name === name)?.pos ?? {};
    expect([x + settings.width <= 1920, y + settings.height <= 1080], name).toEqual([true, true]);
    expect(settings.url).toMatch(/^https:\/\/donations\.example\/base\/overlay\/[a-z]*#YOUR_OVERLAY_KEY$/);
  }
});

test("the setup of Firebot has the preset effect list that the bridge calls, whose texts use the arguments that it has", () => {
  const { components } = firebotSetup() as {
    components: { presetEffectLists: { id: string; args: { name: string }[]; effects: object }[] };
  };
  const [list] = components.presetEffectLists;
  expect(list?.id).toBe(firebotListId);
  const used = [...JSON.stringify(list?.effects).matchAll(/\$presetListArg\[(\w+)\]/g)].map(([, name]) => name);
  expect(used).toEqual(list?.args.map(({ name }) => name));
});
