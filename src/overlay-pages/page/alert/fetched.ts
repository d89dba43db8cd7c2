// Fetches sounds and images completely before they play, so that a slow network can't interrupt them.

/** A file in the memory of the browser. */
export type Fetched = Readonly<{ url: string; type: string }>;

/** Resolves to a blob URL, or to null on failure; never rejects. `key`: the overlay key, for sounds that need it. */
export async function fetchSound(address: string | URL, options: { key?: string; limit?: number } = {}): Promise<string | null> {
  return (await fetchFile(address, options))?.url ?? null;
}

/** The same with the media type that the server names. */
export async function fetchFile(
  address: string | URL,
  { key, limit = 10_000 }: { key?: string; limit?: number } = {},
): Promise<Fetched | null> {
  try {
    const response = await fetch(address, {
      headers: key === undefined ? {} : { Authorization: `Bearer ${key}` },
      credentials: "omit",
      signal: AbortSignal.timeout(limit),
    });
    if (!response.ok) return null;
    const blob = await response.blob();
    return { url: URL.createObjectURL(blob), type: blob.type };
  } catch {
    return null;
  }
}
