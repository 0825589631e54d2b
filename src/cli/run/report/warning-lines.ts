import type { ErrorData } from '../../../core/run-error.ts'
import { printableLine } from '../../terminal/printable.ts'
import { failureText } from '../follow/failure-text.ts'
import type { RunState } from '../follow/run-state.ts'
import type { Style } from '../follow/step-sign.ts'
import type { ReportedRun } from './reported-run.ts'

/** Of each kind no more than this are named. */
const named = 10

/**
 * What is no failure of the run and should be known: failures that were let pass, caught or tolerated, and what answers
 * warned of.
 */
export function warningLines(run: ReportedRun, state: RunState, { paint }: Style): readonly string[] {
  const { warnings = [] } = run
  const passed = lines(
    warnings,
    warnings.length,
    (error) => `failed, and the run went on: ${failureText(error, '')}`,
  )
  const caught = lines(state.caught.first, state.caught.count, (error) => `caught: ${failureText(error, '')}`)
  const told = lines(state.warnings, state.warnings.length, ({ path, message }) => `${path}: ${message}`)
  const all = [...passed, ...caught, ...toleratedTexts(run, state), ...told]
  if (all.length === 0) return []
  return ['', ...all.map((text) => `${paint.yellow('warning:')} ${printableLine(text)}`)]
}

/** Items of loops that failed, as many as their step tolerates. */
function toleratedTexts({ steps }: ReportedRun, state: RunState): readonly string[] {
  const loops = steps.filter(({ status }) => status === 'succeeded').map(({ path }) => state.stepOf(path))
  const failed = loops.flatMap((step) => step?.failedItems ?? [])
  const count = loops.reduce(
    (sum, step) => sum + (step?.failedItems.length ? (step.tally?.failed ?? 0) : 0),
    0,
  )
  return lines(failed, count, (error) => `tolerated: ${failureText(error, '')}`)
}

function lines<T extends ErrorData | { readonly path: string; readonly message: string }>(
  items: readonly T[],
  count: number,
  text: (item: T) => string,
): readonly string[] {
  const first = items.slice(0, named)
  return [
    ...first.map(text),
    ...(count > first.length ? [`and ${count - first.length} more like these`] : []),
  ]
}
