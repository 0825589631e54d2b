/** What people are told of a trigger by its place in the list of the runbook: they count from 1. */
export function triggerText(place: number): string {
  return `trigger ${place + 1}`
}
