// Sounds as blob URLs: fetched whole before they play, so that a slow network can't make them stutter.

/** Null when it can't be had; never rejects. `key` for what needs the overlay key. */
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
