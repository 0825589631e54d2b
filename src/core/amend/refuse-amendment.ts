import { covers, withoutPlaces } from './call-names.ts'
import { refusedChange } from './refused-change.ts'
import type { ResumeComparison } from './resume-comparison.ts'

/** Throws `InvalidInput` where something must be said first, or has been said of a step that it cannot be said of. */
export function refuseAmendment({ steps }: ResumeComparison, keep: readonly string[]): void {
  for (const name of keep) {
    const inside = steps.filter(({ path }) => covers(withoutPlaces(name), path))
    if (inside.some(({ fate }) => fate === 'kept')) continue
    throw refusedChange(`${name} cannot be kept: it was not done before with the action that it has now`)
  }
  const open = steps.filter(({ fate }) => fate === 'needs-a-word')
  if (open.length === 0) return
  const list = open.map(({ path, reason }) => (reason === undefined ? path : `${path} (${reason})`))
  throw refusedChange(
    `what these have done may be done twice, say of each whether to repeat or to keep it: ${list.join('; ')}`,
  )
}
