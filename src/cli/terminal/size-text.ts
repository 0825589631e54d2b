const units = ['B', 'kB', 'MB', 'GB', 'TB']

/** A number of bytes for people, in thousands: `512 B`, `1.2 kB`, `84 MB`. */
export function sizeText(bytes: number): string {
  const steps = bytes < 1000 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), units.length - 1)
  const size = bytes / 1000 ** steps
  return `${steps === 0 || size >= 99.95 ? Math.round(size) : size.toFixed(1)} ${units[steps]}`
}
