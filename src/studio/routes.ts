// The streamer's pages, for servePages.

import { readFileSync } from "node:fs";
import type { PageHandler, PageRoutes } from "../ui/serve-pages.ts";
import { controlAlerts, replayAlert, sendTestAlert, showAlerts, showQueue } from "./alerts.ts";
import { createApiKey, revokeApiKey, showApiKeys } from "./api-keys.ts";
import { replaceOverlayKey, showOverlay } from "./overlay.ts";
import { paths } from "./paths.ts";
import { changeSettings, showSettings } from "./settings.ts";
import type { StudioParts } from "./studio-deps.ts";

export function studioPages(parts: StudioParts): PageRoutes {
  return {
    [`GET ${paths.alerts}`]: showAlerts(parts),
    [`GET ${paths.queue}`]: showQueue(parts),
    [`POST ${paths.control}`]: controlAlerts(parts),
    [`POST ${paths.replay}`]: replayAlert(parts),
    [`POST ${paths.test}`]: sendTestAlert(parts),
    [`GET ${paths.overlay}`]: showOverlay(parts),
    [`POST ${paths.overlay}`]: replaceOverlayKey(parts),
    [`GET ${paths.settings}`]: showSettings(parts),
    [`POST ${paths.settings}`]: changeSettings(parts),
    [`GET ${paths.keys}`]: showApiKeys(parts),
    [`POST ${paths.keys}`]: createApiKey(parts),
    [`POST ${paths.revokeKey}`]: revokeApiKey(parts),
    [`GET ${paths.script}`]: showScript,
  };
}

/** The same for everybody, and nothing in it is secret. */
const showScript: PageHandler = async () => ({ status: 200, javascript: script });

const script = readFileSync(new URL("studio.js", import.meta.url), "utf8");
