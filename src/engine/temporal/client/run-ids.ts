import { createHash } from 'node:crypto'

const longestName = 40

/**
 * The id of the run that a key stands for, on any machine: a run with a key is one workflow, whoever starts it. Safe as
 * the name of a folder, whatever the key is.
 */
export function runIdOfKey(key: string): string {
  const name = key.replaceAll(/[^A-Za-z0-9._-]+/g, '-').slice(0, longestName)
  const hash = createHash('sha256').update(key).digest('hex').slice(0, 12)
  return `run_${name}_${hash}`
}
