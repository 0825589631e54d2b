import { catchSegment } from '../../../core/plan/index.ts'

/** The last part of a path that is not a step: a group of a batch. Step ids have no hyphen. */
const call = /^\/\w*-/
/** Between a step that runs another runbook and the steps that catch its failure: no step of its own. */
const caught = `/${catchSegment}`

/** The steps and items along a path, outermost first: `hosts`, `hosts[3]`, `hosts[3]/checks` for `hosts[3]/checks/group-2`. */
export function enclosingPaths(path: string): readonly string[] {
  const paths: string[] = []
  let before = ''
  for (const part of path.split(/(?=[[/])/)) {
    if (part === caught) before = part
    else if (call.test(part)) break
    else {
      paths.push((paths.at(-1) ?? '') + before + part)
      before = ''
    }
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
