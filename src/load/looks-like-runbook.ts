const namesRunbook = /^[\s{]*["']?api[-_]?version["']?\s*:\s*["']?opsbook\b/im
const namesVersion = /^["']?apiVersion["']?\s*:/m
const hasSteps = /^["']?steps["']?\s*:/m

/** Other tools use `apiVersion` or `steps` in YAML files, too; a file with both is a misspelt runbook. */
export function looksLikeRunbook(text: string): boolean {
  return namesRunbook.test(text) || (namesVersion.test(text) && hasSteps.test(text))
}
