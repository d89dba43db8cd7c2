// Fetches sounds completely before they play, so that a slow network can't interrupt them.

/** Resolves to a blob URL, or to null on failure; never rejects. `key`: the overlay key, for sounds that need it. */
export async function fetchSound(
  address: string | URL,
  { key, limit = 10_000 }: { key?: string; limit?: number } = {},
): Promise<string | null> {
  try {
    const response = await fetch(address, {
      headers: key === undefined ? {} : { Authorization: `Bearer ${key}` },
      credentials: "omit",
      signal: AbortSignal.timeout(limit),
    });
    return response.ok ? URL.createObjectURL(await response.blob()) : null;
  } catch {
    return null;
  }
}
