/** The last part of a path that is not a step: a group of a batch. Step ids have no hyphen. */
const call = /^\/\w*-/

/** The steps and items along a path, outermost first: `hosts`, `hosts[3]`, `hosts[3]/checks` for `hosts[3]/checks/group-2`. */
export function enclosingPaths(path: string): readonly string[] {
  const paths: string[] = []
  for (const part of path.split(/(?=[[/])/)) {
    if (call.test(part)) break
    paths.push((paths.at(-1) ?? '') + part)
  }
  return paths
}

/** A path relative to the one around it: `export` of `hosts[3]/export`, `[3]` of `hosts[3]`. */
export function nameWithin(path: string, outer: string): string {
  return path.startsWith(outer) ? path.slice(outer.length).replace(/^\//, '') : path
}

/** Whether this is the path of an item of a loop. */
export function isItem(path: string): boolean {
  return path.endsWith(']')
}
