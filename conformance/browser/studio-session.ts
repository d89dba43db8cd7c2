// Logs a new streamer in to the studio.

import { type Login, newStreamer } from "../harness/client/studio-login.ts";
import { target } from "../harness/server/target.ts";
import type { Tab } from "./chromium.ts";

/** Opens a page of the studio and logs in there. */
export async function newLogin({ page }: Tab, path = "/studio"): Promise<Login> {
  const { operator } = target();
  if (!operator) throw new Error("not run: needs the operator's CLI, and API_URL is someone else's server");
  const login = await newStreamer(operator);
  await page.goto(target().url + path);
  await page.locator("input[name=handle]").fill(login.handle);
  await page.locator("input[name=password]").fill(login.password);
  await page.locator("form[action$='/oauth/login'] button").click();
  await page.waitForSelector("nav");
  return login;
}
