/** A path without the positions of items in their loops: the same for all items. */
export function withoutPlaces(path: string): string {
  return path.replace(/\[\d+\]/g, '')
}

/** The name that all calls of one kind share: groups and polls without their numbers. */
export function callName(path: string): string {
  return withoutPlaces(path).replace(/\/(group|poll)-\d+/g, '/$1')
}

/**
 * Whether a path is at or under a name. A name without the place of an item stands for all items of the loop.
 * `hosts/look` covers `hosts[3]/look` and `hosts[3]/look/group-2`, and `hosts[3]` covers nothing of `hosts[2]`.
 */
export function isCoveredPath(name: string, path: string): boolean {
  const parts = path.split('/')
  return name
    .split('/')
    .every((part, index) => part === parts[index] || part === withoutPlaces(parts[index] ?? ''))
}

/** Whether two names speak of the same item of the same step, or one of something inside the other. */
export function overlap(one: string, other: string): boolean {
  const [some, others] = [one.split('/'), other.split('/')]
  const both = Math.min(some.length, others.length)
  return some.slice(0, both).every((part, index) => {
    const against = others[index] ?? ''
    return part === against || part === withoutPlaces(against) || withoutPlaces(part) === against
  })
}

/** How many loops a path says the place in. */
export function placesIn(path: string): number {
  return path.match(/\[\d+\]/g)?.length ?? 0
}
