import type { RunRecord } from '../../core/record/run-record.ts'
import type { Engine } from '../../engine/engine.ts'
import { usesOf } from '../run/uses-of-plan.ts'
import type { Mask } from '../../core/mask/mask.ts'

/** Teaches a mask what is to be hidden of a run: whatever its actions have answered in fields that are sensitive. */
export async function learnSecrets(run: RunRecord, engine: Engine, mask: Mask): Promise<void> {
  const fieldsOf = new Map(
    usesOf(run.plan).map(({ action }) => [action.name, action.sensitiveOutput ?? []] as const),
  )
  if ([...fieldsOf.values()].every((fields) => fields.length === 0)) return
  for (const { action, output } of await engine.readAttempts(run.run_id))
    mask.learn(output, fieldsOf.get(action) ?? [])
}
