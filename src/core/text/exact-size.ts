/** A limit in words: `64 KiB`, `1 MiB`. */
export function exactSize(bytes: number): string {
  return bytes % 2 ** 20 === 0 ? `${bytes / 2 ** 20} MiB` : `${bytes / 2 ** 10} KiB`
}
