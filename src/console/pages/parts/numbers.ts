/** A count with thin spaces between thousands: `10 000`. */
export function figure(count: number): string {
  return String(Math.round(count)).replaceAll(/\B(?=(\d{3})+$)/g, '\u202f')
}

/** A size for people: `812 B`, `1.4 MB`. */
export function sizeText(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB']
  let value = bytes
  let unit = 0
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000
    unit++
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`
}
