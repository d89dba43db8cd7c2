// What the studio's tests show: settings, a queue, donations, keys, applications and erasures.

import type { AlertFile } from "../alerts/media/alert-files.ts";
import { defaultSettings, type Settings } from "../alerts/settings/settings.ts";
import type { ApiKeyEntry } from "../auth/api-keys.ts";
import type { StartedErasure } from "../corrections/erase-donator.ts";
import type { Counted } from "../corrections/eraser.ts";
import { someRecord } from "../donations/testing.ts";
import type { Fault } from "../http/problem.ts";
import type { OwnClient } from "../oauth/clients/own-clients.ts";
import type { Queue, QueuedPlayback } from "./alerts/held-alerts.ts";
import type { Donation } from "./components/donation.ts";

export const settings: Settings = {
  ...defaultSettings,
  ...{ minimumAmount: 20, blockedWords: ["spam", "สแปม"], pauseSeconds: 2, fasterFrom: 10, speechMinimumAmount: 50 },
  goal: { title: "New microphone", target: 5000, from: "2026-11-01" },
  goals: [{ id: "mic", title: "New microphone", target: 5000, from: "2026-11-01" }],
};

export function queue(changes: Partial<Queue> = {}): Queue {
  const waiting = changes.waiting ?? [];
  return {
    paused: false,
    asking: false,
    hidden: false,
    connected: true,
    overlays: [],
    playing: null,
    waiting,
    waitingCount: waiting.length,
    held: [],
    heldCount: 0,
    ...changes,
  };
}

export function playback(changes: Partial<QueuedPlayback> = {}): QueuedPlayback {
  const donation = {
    donationId: "d1",
    donatorName: "Malee",
    amount: 250,
    currency: "THB" as const,
    message: "สู้ๆ นะ",
    source: "external" as const,
  };
  return { playbackId: "p1", ...donation, status: "queued", replay: false, masked: false, ...changes };
}

export function donation(changes: Partial<Donation> = {}): Donation {
  const { donationId: id, donatorName, amount, currency, message, source } = playback();
  const instant = "2026-11-21T03:00:00.000Z";
  const alert = { status: "shown", reason: null, shownAt: instant, masked: false } as const;
  return someRecord({ id, donatorName, amount, currency, message, source, alert, createdAt: instant, receivedAt: instant, ...changes });
}

export function apiKey(changes: Partial<ApiKeyEntry> = {}): ApiKeyEntry {
  return {
    ...{ id: "k1", publicId: "AbCd1234", application: "bot", name: "My bot", scopes: ["write:donations"] },
    ...{ createdAt: new Date("2026-11-01T00:00:00Z"), expiresAt: null, lastUsedAt: null, revokedAt: null },
    ...changes,
  };
}

export function ownApp(changes: Partial<OwnClient> = {}): OwnClient {
  return {
    ...{ id: "c1", name: "Lamp", public: false, redirectUris: ["https://lamp.example/callback"], scopes: ["read:donations"] },
    ...{ createdAt: new Date("2026-11-01T00:00:00Z"), secretSince: new Date("2026-11-02T00:00:00Z") },
    ...changes,
  };
}

export function alertFile(changes: Partial<AlertFile> = {}): AlertFile {
  return {
    ...{ id: "f1", kind: "image", mime: "image/png", name: "cat.png", size: 5, width: 1, height: 1 },
    ...{ createdAt: new Date("2026-11-01T00:00:00Z"), isUsed: false },
    ...changes,
  };
}

/** Donations of a donator, received in November 2026. */
export function foundDonations(changes: Partial<Counted> = {}): Counted {
  return { donations: 12, firstAt: Date.parse("2026-11-01T03:00:00Z"), lastAt: Date.parse("2026-11-20T05:30:00Z"), ...changes };
}

export function erasure(changes: Partial<StartedErasure> = {}): StartedErasure {
  const beganAt = Date.parse("2026-11-21T03:00:00Z");
  return { id: erasureId, beganAt, finishedAt: beganAt + 1_000, donations: 12, ...changes };
}

export const erasureId = "01a20563-1334-7e4a-ba39-894b3f967f71";

export function fault(pointer: string, code: Fault["code"] = "out_of_range", message = "must be at most 100"): Fault {
  return { pointer, code, message };
}
