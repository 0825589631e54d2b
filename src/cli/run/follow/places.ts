/** The last part of a path that is no place of its own: a group of a batch. No id has a hyphen. */
const call = /^\/\w*-/

/** The places that a path leads through, outermost first: of `hosts[3]/checks/group-2` `hosts`, `hosts[3]` and `hosts[3]/checks`. */
export function placesOf(path: string): readonly string[] {
  const places: string[] = []
  for (const part of path.split(/(?=[[/])/)) {
    if (call.test(part)) break
    places.push((places.at(-1) ?? '') + part)
  }
  return places
}

/** A place as it is called inside the place around it: `export` of `hosts[3]/export`, `[3]` of `hosts[3]`. */
export function nameWithin(path: string, outer: string): string {
  return path.startsWith(outer) ? path.slice(outer.length).replace(/^\//, '') : path
}

/** Whether this is the path of an item of a loop. */
export function isItem(path: string): boolean {
  return path.endsWith(']')
}
