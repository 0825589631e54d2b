import type { RunReader, RunRecord } from '../../engine/embedded/index.ts'
import { usesOf } from '../run/uses-of-plan.ts'
import type { Mask } from '../terminal/mask.ts'

/** Teaches a mask what is to be hidden of a run: whatever its actions have answered in fields that are sensitive. */
export function learnSecrets(run: RunRecord, reader: RunReader, mask: Mask): void {
  const fieldsOf = new Map(
    usesOf(run.plan).map(({ action }) => [action.name, action.sensitiveOutput ?? []] as const),
  )
  if ([...fieldsOf.values()].every((fields) => fields.length === 0)) return
  for (const { action, output } of reader.readAttempts(run.run_id))
    mask.learn(output, fieldsOf.get(action) ?? [])
}
