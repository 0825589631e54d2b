/** The id of the step that a path ends at: `export` of `hosts[3]/export`, `hosts` of `hosts[3]`. */
export function stepIdOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1).replace(/\[\d+\]$/, '')
}
