/** A count with thin spaces between thousands: `10 000`. */
export function figure(count: number): string {
  return String(Math.round(count)).replaceAll(/\B(?=(\d{3})+$)/g, '\u202f')
}
