import { builtinActions } from '../../core/builtins/index.ts'
import type { LoadedTests } from '../file/load-test-file.ts'
import { planChanges } from './plan-changes.ts'
import { recordedPlan, recordingFile } from './recording.ts'

/** The recordings of another plan, as they are for the plan of today: their calls stay. */
export function repinned({
  recordings,
  plan,
  actions,
}: LoadedTests): readonly { readonly file: string; readonly text: string }[] {
  return [...recordings].flatMap(([name, recording]) => {
    if (planChanges(recording, plan, actions).length === 0) return []
    const fresh = { ...recording, ...recordedPlan(plan, [...builtinActions, ...actions]) }
    return [{ file: recordingFile(name), text: `${JSON.stringify(fresh, undefined, 2)}\n` }]
  })
}
