// The browsers that streamers log in with: their names, and those in which a streamer logged in before, known by a signed cookie. Failed logins
// of a known browser count apart (check-password.ts), so that nobody who guesses elsewhere locks the streamer out there.

import { randomBase62 } from "../../auth/keys.ts";
import type { Site } from "../../http/base-url.ts";
import { type CursorCodec, openOrNull } from "../../http/cursor.ts";
import { cookieOf, readCookie, type VerifiedPassword } from "./sessions.ts";

export type KnownBrowsers = ReturnType<typeof knownBrowsers>;

/** What the cookie says of one streamer. It is no credential. `id`: its failures count under it. `changedAt`: of the password that was right. */
type Known = Readonly<{ id: string; handle: string; changedAt: string; expiresAt: number }>;

type KnownBrowsersDeps = Readonly<{
  site: Site;
  codec: CursorCodec;
  /** When the streamer's password was set, as in VerifiedPassword; null: there is none. */
  findChangedAt: (handle: string) => Promise<string | null>;
  /** Milliseconds since 1970. */
  now?: () => number;
}>;

/** What the seal of a cookie is for. */
const sealed = "known browser";
const idLength = 22; // 128 bits
const lifetime = 30 * 24 * 60 * 60;
/** A browser is known to the streamers who logged in last. */
const maxStreamers = 4;

/** The first that is found counts: most browsers name others as well. */
const browsers: readonly (readonly [sign: RegExp, name: string])[] = [
  [/\bLine\//, "LINE"],
  [/\bFB(?:AN|AV)\//, "Facebook"],
  [/\bEdg(?:A|iOS)?\//, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bSamsungBrowser\//, "Samsung Internet"],
  [/\b(?:Firefox|FxiOS)\//, "Firefox"],
  [/\b(?:Chrome|CriOS|HeadlessChrome)\//, "Chrome"],
  [/\bSafari\//, "Safari"],
];

const systems: readonly (readonly [sign: RegExp, name: string])[] = [
  [/\bAndroid\b/, "Android"],
  [/\b(?:iPhone|iPad|iPod)\b/, "iOS"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b/, "macOS"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bLinux\b/, "Linux"],
];

/** Of the header, which may be of any length. */
const maxRead = 512;
/** Of the name of a program that is none of the known browsers. */
const maxOther = 30;

export function knownBrowsers({ site, codec, findChangedAt, now = Date.now }: KnownBrowsersDeps) {
  const { cookieName, setCookie } = cookieOf(site, { name: "browser", sameSite: "Strict" });
  const read = (cookieHeader: string | undefined): Known[] =>
    readCookie(cookieHeader, cookieName)
      .split(".")
      .slice(0, maxStreamers)
      .map((text) => openOrNull(codec, sealed, text) as Known | null)
      .filter((known) => known !== null)
      .filter(({ expiresAt }) => expiresAt > now());
  return {
    /** The id of a browser in which this streamer logged in with the present password; null for any other. */
    find: async (cookieHeader: string | undefined, handle: string): Promise<string | null> => {
      const known = read(cookieHeader).find((one) => one.handle === handle);
      return known && known.changedAt === (await findChangedAt(handle)) ? known.id : null;
    },

    /** The Set-Cookie line after a login. Each has an id of its own, so that a cookie that was stolen before shares no count with it. */
    remember: (cookieHeader: string | undefined, handle: string, { changedAt }: Pick<VerifiedPassword, "changedAt">): string => {
      const others = read(cookieHeader).filter((one) => one.handle !== handle);
      const known: Known = { id: randomBase62(idLength), handle, changedAt, expiresAt: now() + lifetime * 1000 };
      const kept = [known, ...others].slice(0, maxStreamers);
      return setCookie(kept.map((one) => codec.seal(sealed, one)).join("."), lifetime);
    },
  };
}

/** The browser and system of a header User-Agent, such as `Chrome, Windows`; null where the header says nothing. Never longer than 60 characters. */
export function browserName(userAgent: string | undefined): string | null {
  const read = (userAgent ?? "").slice(0, maxRead);
  const nameIn = (known: typeof browsers) => known.find(([sign]) => sign.test(read))?.[1];
  const other = /^[\w.-]+/.exec(read)?.[0].slice(0, maxOther);
  return [nameIn(browsers) ?? other, nameIn(systems)].filter((part) => part !== undefined).join(", ") || null;
}
