// Starts Chromium, for tests and benches. As a global setup of tests it gives the Chromiums of a run one folder for their temporary files, and deletes
// it: one that is killed leaves them behind.

import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, chromium } from "playwright-core";

/**
 * Suggestions below the address bar, which nobody sees here: each page would have a process for them. Only the last list that Chromium is
 * given counts, so the features that Playwright switches off follow.
 */
const switchedOff = [
  ...["WebUIOmniboxPopup", "WebUIOmniboxFullPopup", "WebUIOmniboxAimPopup"],
  ...["AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "HttpsUpgrades", "HttpsFirstBalancedModeAutoEnable"],
  ...["LensOverlay", "MediaRouter", "PaintHolding", "ThirdPartyStoragePartitioning", "AvoidCorsURLLoaderRestartOnRedirect"],
  ...["OptimizationHints", "NetworkTimeServiceQuerying", "AimEnabled", "PreconnectToSearch"],
];

const headlessArguments = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  `--disable-features=${switchedOff}`,
];

/** Chromium without the window of a browser, whose toolbar is laid out and painted for every page: a third less CPU. Or else with it. */
const programs = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];

/** Starts Chromium. Throws when it is not installed, so that missing Chromium fails the run. */
export async function startChromium(args: readonly string[] = []): Promise<Browser> {
  const candidates = process.env.CHROMIUM ? [process.env.CHROMIUM] : programs;
  const executablePath = candidates.find(existsSync);
  if (!executablePath) {
    throw new Error(
      `not run: there is no Chromium at ${candidates.join(" or ")}. Install chromium-headless-shell or chromium, or set CHROMIUM`,
    );
  }
  const { CHROMIUM_TMPDIR, ...env } = process.env;
  return chromium.launch({
    executablePath,
    args: [...headlessArguments, ...args],
    env: CHROMIUM_TMPDIR ? { ...env, TMPDIR: CHROMIUM_TMPDIR } : env,
  });
}

let folder: string;

/** Before the workers are started, which inherit the variable. */
export async function setup(): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), "namjai-chromium-"));
  process.env.CHROMIUM_TMPDIR = folder;
}

/** After the workers have ended, and the server of the run. */
export const teardown = (): Promise<void> => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
