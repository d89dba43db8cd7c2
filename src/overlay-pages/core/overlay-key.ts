// The overlay key in the fragment of a page's address.

/**
 * Decodes the key. What can't be decoded, or no header could carry, stays as the address has it, in ASCII: the server refuses it like every
 * wrong key, so that the page says so.
 */
export function readOverlayKey(fragment: string): string {
  try {
    const key = decodeURIComponent(fragment);
    return /^[\x21-\x7e]*$/.test(key) ? key : fragment;
  } catch {
    return fragment;
  }
}
