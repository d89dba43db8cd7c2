// Starts Chromium, for tests and benches.

import { accessSync, constants } from "node:fs";
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

/** Starts Chromium. Throws when it is not installed, so that missing Chromium fails the run. */
export async function startChromium(args: readonly string[] = []): Promise<Browser> {
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
  try {
    accessSync(executablePath, constants.X_OK);
  } catch {
    throw new Error(`not run: there is no Chromium at ${executablePath}. Install it (apt-get install chromium) or set CHROMIUM`);
  }
  const { CHROMIUM_TMPDIR, ...env } = process.env;
  return chromium.launch({
    executablePath,
    args: [...headlessArguments, ...args],
    env: CHROMIUM_TMPDIR ? { ...env, TMPDIR: CHROMIUM_TMPDIR } : env,
  });
}
