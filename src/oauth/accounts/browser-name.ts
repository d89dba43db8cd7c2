// Names a browser and its system by the header User-Agent, for the list of a streamer's sessions.

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

/** Such as `Chrome, Windows`; null where the header says nothing. Never longer than 60 characters. */
export function browserName(userAgent: string | undefined): string | null {
  const read = (userAgent ?? "").slice(0, maxRead);
  const nameIn = (known: typeof browsers) => known.find(([sign]) => sign.test(read))?.[1];
  const other = /^[\w.-]+/.exec(read)?.[0].slice(0, maxOther);
  return [nameIn(browsers) ?? other, nameIn(systems)].filter((part) => part !== undefined).join(", ") || null;
}
