// The library of pictures and sounds for alerts: drawn and synthesised for this project, and under its licence. The contract names them
// (LibraryImage and LibrarySound in spec/variations.tsp).

import { readdirSync, readFileSync } from "node:fs";
import type { StaticFile } from "../../http/files.ts";
import { librarySounds, makeLibrarySound, soundBytes } from "./sounds.ts";

const pictures = new URL("pictures/", import.meta.url);

/** A picture that is opened by itself may do nothing but move. */
const headers = {
  "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  "Cross-Origin-Resource-Policy": "same-origin",
};

/** By file name. A sound is made when it is first requested. */
export function libraryFiles(): Map<string, StaticFile> {
  const images = readdirSync(pictures).map((name): [string, StaticFile] => {
    return [name, { type: "image/svg+xml", body: readFileSync(new URL(name, pictures)), cache: "revalidate", headers }];
  });
  const sounds = librarySounds.map((name): [string, StaticFile] => {
    const load = async () => makeLibrarySound(name);
    return [`${name}.wav`, { type: "audio/wav", load, size: soundBytes(name), cache: "revalidate", headers }];
  });
  return new Map([...images, ...sounds]);
}
