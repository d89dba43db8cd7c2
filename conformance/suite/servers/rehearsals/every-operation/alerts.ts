// Plays, decides and controls alerts.

import { randomBytes, randomUUID } from "node:crypto";

import { onEventBlock } from "../../../client/event-source.ts";
import { pngOf } from "../../../values/files.ts";
import { type Caller, donate, donations, until } from "./caller.ts";

/** Plays alerts as an overlay does, beside a page that shows widgets alone. */
export async function askAlerts(caller: Caller): Promise<void> {
  const { send, get, overlayKey } = caller;
  const alerts = "/api/v1/alerts";
  const act = (action: string, body?: object) => send("POST", `${alerts}/${action}`, body);
  await act("clear"); // alerts of other steps, which would be played first
  const player = `p${randomBytes(6).toString("hex")}`;
  const [overlay, widgets] = [await openOverlay(caller, player, true), await openOverlay(caller, `w${player}`, false)];
  const end = async ({ id, speech }: Playback): Promise<void> => {
    await send("POST", `/api/v1/overlay/playbacks/${id}/started`, { player }, { key: overlayKey });
    if (speech) await get(`/api/v1/overlay/speech/${speech.id}`, { key: overlayKey });
    await send("POST", `/api/v1/overlay/playbacks/${id}/ended`, { player }, { key: overlayKey });
  };
  try {
    await get(alerts);
    await get(`${alerts}/settings`);
    await send("PATCH", `${alerts}/settings`, {
      pauseSeconds: 0,
      speech: true,
      goal: { title: "A chair", target: 1_000_000, from: "2026-01-01" },
    });
    const id = await donate(caller, { message: `สวัสดี ${randomUUID()}` });
    await end(await overlay.next(id));
    await send("POST", `${donations}/${id}/replay`);
    await end(await overlay.next(id));
    const skipped = await donate(caller);
    const { id: playback } = await overlay.next(skipped);
    await send("POST", `/api/v1/overlay/playbacks/${playback}/started`, { player }, { key: overlayKey });
    await act("skip");
    const test = String((await act("test", {})).data.id);
    await end(await overlay.next(test));
    await act("pause");
    await donate(caller);
    await act("clear");
    for (const action of ["resume", "hide", "unhide"]) await act(action);
    await decide(caller, act);
    await askFiles(caller);
    await widgets.event("widgets");
  } finally {
    for (const page of [overlay, widgets]) page.close();
  }
}

async function decide(caller: Caller, act: (action: string) => Promise<unknown>): Promise<void> {
  const { send, get } = caller;
  const settings = "/api/v1/alerts/settings";
  await send("PATCH", settings, { approval: "all" });
  for (const decision of ["approve", "mask", "deny"]) {
    const id = await donate(caller);
    await until(async () => JSON.stringify(await get("/api/v1/alerts")).includes(id), "a held alert");
    await act(`${id}/${decision}`);
  }
  await send("PATCH", settings, { approval: "off" });
  await act("clear");
}

async function askFiles({ send, get }: Caller): Promise<void> {
  const files = "/api/v1/alert-files";
  const { id } = (await send("POST", `${files}?name=lamp.png`, pngOf(1, 1), { type: "image/png" })).data;
  await get(files);
  await send("DELETE", `${files}/${id}`);
}

type Playback = Readonly<{ id: string; donationId: string; speech: { id: string } | null }>;

/** `next`: the playback of this donation, once each. `event`: an event of this kind. */
type Overlay = { next: (donationId: string) => Promise<Playback>; event: (name: string) => Promise<unknown>; close: () => void };

async function openOverlay({ listen, overlayKey }: Caller, player: string, plays: boolean): Promise<Overlay> {
  const stream = await listen(`/api/v1/overlay/stream?player=${player}&plays=${plays}`, overlayKey);
  const events: { name: string; data: unknown }[] = [];
  onEventBlock(stream, (block) => {
    const name = /^event: ?(.*)$/m.exec(block)?.[1];
    const data = /^data: ?(.*)$/m.exec(block)?.[1];
    if (name && data) events.push({ name, data: JSON.parse(data) });
  });
  const used = new Set<string>();
  return {
    next: (donationId) =>
      until(async () => {
        const playbacks = events.flatMap(({ name, data }) => (name === "playback" ? [data as Playback] : []));
        const found = playbacks.find((one) => one.donationId === donationId && !used.has(one.id));
        if (found) used.add(found.id);
        return found;
      }, `the playback of ${donationId}`),
    event: (wanted) => until(async () => events.find(({ name }) => name === wanted), wanted),
    close: () => void stream.destroy(),
  };
}
