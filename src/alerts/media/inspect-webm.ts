// WebM: the elements of EBML (RFC 8794) and Matroska (RFC 9559) that its subset has.

import { type Inspected, image, refused } from "./inspection.ts";

type Element = Readonly<{ id: number; from: number; to: number }>;

const ids = {
  ...{ header: 0x1a45dfa3, docType: 0x4282, segment: 0x18538067, cluster: 0x1f43b675 },
  ...{ tracks: 0x1654ae6b, track: 0xae, codec: 0x86, video: 0xe0, width: 0xb0, height: 0xba, void: 0xec },
} as const;

/** What a segment may have: SeekHead, Info, Tracks, Cluster, Cues, Tags, Chapters, Void, CRC-32; and in a cluster of unknown size its parts. */
const inSegment = [0x114d9b74, 0x1549a966, ids.tracks, ids.cluster, 0x1c53bb6b, 0x1254c367, 0x1043a770, ids.void, 0xbf];
const inCluster = [0xe7, 0xa3, 0xa0, 0xab, 0xa7];
const codecs = ["V_VP8", "V_VP9", "V_AV1"];

/** An EBML header and one segment that fill the file, with one track of video. */
export function inspectWebm(bytes: Buffer): Inspected {
  const [header, segment, ...others] = elementsIn(bytes, { from: 0, to: bytes.length }) ?? [];
  if (header?.id !== ids.header || segment?.id !== ids.segment || others.some(({ id }) => id !== ids.void)) return refused("broken");
  if (textOf(bytes, childOf(bytes, header, ids.docType)) !== "webm") return refused("unsupported");
  const parts = elementsIn(bytes, segment, maxElements);
  if (!parts?.every(({ id }) => inSegment.includes(id) || inCluster.includes(id))) return refused("broken");
  const tracks = parts.find(({ id }) => id === ids.tracks);
  const films = (tracks ? (elementsIn(bytes, tracks) ?? []) : []).filter((track) => childOf(bytes, track, ids.video));
  const [film] = films;
  if (!film || films.length > 1 || !parts.some(({ id }) => id === ids.cluster)) return refused("broken");
  if (!codecs.includes(textOf(bytes, childOf(bytes, film, ids.codec)))) return refused("unsupported");
  const video = childOf(bytes, film, ids.video) as Element;
  return image("video/webm", numberOf(bytes, childOf(bytes, video, ids.width)), numberOf(bytes, childOf(bytes, video, ids.height)));
}

/** More elements than the segment of a film of the allowed size has. */
const maxElements = 200_000;
/** More than anything else has. A description of hundreds of tracks with thousands of elements each would take seconds. */
const maxChildren = 200;

/**
 * The elements that fill a part of the file exactly; null when they do not, or are more than `max`. One of unknown size goes on to the end of
 * its parent.
 */
function elementsIn(bytes: Buffer, { from, to }: Pick<Element, "from" | "to">, max = maxChildren): Element[] | null {
  const elements: Element[] = [];
  let at = from;
  while (at < to) {
    const idLength = Math.clz32(bytes.readUInt8(at)) - 23;
    if (idLength > 4) return null;
    const id = bytes.readUIntBE(at, idLength);
    const sizeAt = at + idLength;
    const sizeLength = Math.clz32(bytes.readUInt8(sizeAt)) - 23;
    if (sizeLength > 8) return null;
    const begin = sizeAt + sizeLength;
    const size = sizeOf(bytes, sizeAt, sizeLength);
    const isOpen = size === null;
    const end = isOpen ? to : begin + size;
    if (begin > to || end > to || elements.length === max) return null;
    elements.push({ id, from: begin, to: end });
    at = isOpen && id === ids.cluster ? begin : end; // the parts of an open cluster are read as its neighbours
  }
  return elements;
}

/** Null: unknown, when all bits are set. Not exact above 2^53, which no file reaches. */
function sizeOf(bytes: Buffer, at: number, length: number): number | null {
  let size = bytes.readUInt8(at) & (0xff >> length);
  let isUnknown = size === 0xff >> length;
  for (let index = 1; index < length; index += 1) {
    const byte = bytes.readUInt8(at + index);
    size = size * 256 + byte;
    isUnknown &&= byte === 0xff;
  }
  return isUnknown ? null : size;
}

function childOf(bytes: Buffer, parent: Element, id: number): Element | null {
  return elementsIn(bytes, parent)?.find((element) => element.id === id) ?? null;
}

function textOf(bytes: Buffer, element: Element | null): string {
  return element ? bytes.toString("latin1", element.from, Math.min(element.to, element.from + 100)).replace(/\0+$/, "") : "";
}

function numberOf(bytes: Buffer, element: Element | null): number {
  if (!element || element.to === element.from || element.to - element.from > 6) return 0;
  return bytes.readUIntBE(element.from, element.to - element.from);
}
