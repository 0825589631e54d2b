/** The page of an event. */
export function eventHref(hook: string, eventId: string): string {
  return `/events/${encodeURIComponent(`${hook}/${eventId}`)}`
}
