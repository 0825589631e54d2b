import type { LoggedLine } from '../messages.ts'

/** Together with the largest answer it still goes through the server. */
const mostLength = 256 * 1024

/** The lines that an action logs in one attempt, as many as go along with its answer. */
export interface BoundedLog {
  add(line: LoggedLine): void
  lines(): readonly LoggedLine[]
}

export function createBoundedLog(): BoundedLog {
  const kept: LoggedLine[] = []
  let length = 0
  let leftOut = 0
  return {
    add(line) {
      length += JSON.stringify(line).length
      if (length <= mostLength) kept.push(line)
      else leftOut++
    },
    lines() {
      if (leftOut === 0) return kept
      const message = `${leftOut} more lines were logged, too many to be kept`
      return [...kept, { level: 'warn', message }]
    },
  }
}
