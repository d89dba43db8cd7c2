// An application that a streamer registers in the studio, in Chromium: from its registration to the last token.

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";

import { me } from "../../suite/client/api.ts";
import { authorizationPath } from "../../suite/client/oauth/authorization.ts";
import { challengeOf, exchange, newVerifier, tokensOf } from "../../suite/client/oauth/oauth-client.ts";
import { remember } from "../../suite/values/redact.ts";
import { target } from "../../suite/values/target.ts";
import { type Application, startApplication } from "./application.ts";
import { followLink, openChromium, openTab, sendForm, type Tab } from "./chromium.ts";
import { expectedMessages, looksRight, screens } from "./studio-screens.ts";
import { expectRevoked, newLogin } from "./studio-session.ts";

// Password checks are slow on purpose, and each screen has its own streamer.

let browser: Browser;
let application: Application;
beforeAll(async () => {
  browser = await openChromium();
  application = await startApplication();
});
afterAll(async () => {
  application?.close();
});

const submit = (tab: Tab, path: string) => sendForm(tab, tab.page.locator(`form[action$='${path}'] button`));

/** Unfolds the part of the page that has this form, with or without scripts. */
async function unfoldForm({ page }: Tab, path: string): Promise<void> {
  const folded = page.locator("details:not([open])", { has: page.locator(`form[action$='${path}']`) });
  if (await folded.count()) await folded.locator("summary").click();
}

async function secretOf({ page }: Tab): Promise<string> {
  const secret = await page.locator("#secret").inputValue();
  remember(secret);
  return secret;
}

test.each(screens)(
  "a streamer registers an application, which another streamer approves with a warning, and deletes it with all its tokens: %s",
  async (screen, options) => {
    const tab = await openTab(browser, options);
    const { page } = tab;
    const { handle } = await newLogin(tab, "/studio/apps");
    await page.locator("input[name=name]").fill("Namjai lights");
    await page.locator("textarea[name=redirectUris]").fill(`${application.redirectUri}\nhttps://*.lights.example/`);
    await submit(tab, "/studio/apps");
    await page.waitForSelector("[role=alert]");
    await expect.poll(() => page.locator("#field-name-fault").textContent()).toContain("name of this platform");
    await expect.poll(() => page.locator("#field-redirectUris-fault").textContent()).toContain("compared exactly");
    await expect
      .poll(() => page.locator("textarea").inputValue(), { message: "what was typed is kept" })
      .toContain("https://*.lights.example/");
    await looksRight(tab, `studio-apps-wrong-${screen}`);
    await page.locator("input[name=name]").fill("Stage lights");
    await page.locator("textarea[name=redirectUris]").fill(application.redirectUri);
    await submit(tab, "/studio/apps");
    const secret = await secretOf(tab);
    const id = (await page.locator("main code").first().textContent()) ?? "";
    await looksRight(tab, `studio-app-secret-${screen}`);

    const other = await openTab(browser, options);
    await newLogin(other);
    const verifier = newVerifier();
    const pkce = { code_challenge: challengeOf(verifier), code_challenge_method: "S256" };
    const client = { id, secret, name: "Stage lights", redirectUris: [application.redirectUri], scopes: ["read:donations"] };
    await other.page.goto(
      target().url + authorizationPath(client, { redirect_uri: application.redirectUri, scope: "read:donations", ...pkce }),
    );
    await expect.poll(() => other.page.locator("main").textContent()).toContain(`Registered by ${handle}, not checked by`);
    await looksRight(other, `consent-own-app-${screen}`);
    application.calls.splice(0);
    await sendForm(other, other.page.locator("button[name=decision][value=approve]"));
    expect(other.page.url()).toContain(application.redirectUri);
    const code = application.calls[0]?.searchParams.get("code") ?? "";
    const { access_token } = tokensOf(await exchange(client, { code, verifier, redirectUri: application.redirectUri }));
    expect((await me({ key: access_token })).status).toBe(200);
    await other.context.close();

    await followLink(tab, page.locator("main a").last());
    await unfoldForm(tab, "/studio/apps/rotate");
    await submit(tab, "/studio/apps/rotate");
    await expect.poll(() => secretOf(tab)).not.toBe(secret);
    await followLink(tab, page.locator("main a").last());
    await unfoldForm(tab, "/studio/apps/change");
    await page.locator("input[name=name]").fill("Stage lights 2");
    await submit(tab, "/studio/apps/change");
    await page.locator("main > [role=status]").waitFor();
    await looksRight(tab, `studio-app-${screen}`);
    await followLink(tab, page.locator("main a").first());
    await page.getByText("Stage lights 2").waitFor();
    await looksRight(tab, `studio-apps-${screen}`);
    await followLink(tab, page.locator("main .cards a").first());
    await unfoldForm(tab, "/studio/apps/delete");
    await submit(tab, "/studio/apps/delete");
    await page.getByText("You have registered no applications").waitFor();
    await expectRevoked(access_token);
    expect(tab.complaints.filter((line) => !expectedMessages.test(line))).toEqual([]);
    await tab.context.close();
  },
);
