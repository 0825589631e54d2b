import { printableLine } from '../../terminal/printable.ts'
import { failureText } from '../follow/failure-text.ts'
import type { ItemNames } from '../follow/item-names.ts'
import type { RunState } from '../follow/run-state.ts'
import type { Style } from '../follow/step-sign.ts'
import type { StepView } from '../follow/step-view.ts'
import type { ReportedRun } from './reported-run.ts'

/** Of each kind no more than this are named. */
const named = 10

/**
 * What is no failure of the run and should be known: failures that were let pass, caught or tolerated, and what answers
 * warned of.
 */
export function warningLines(run: ReportedRun, state: RunState, { paint }: Style): readonly string[] {
  const { items } = state
  const passed = (run.warnings ?? []).map((error) => failureText(error, '', items))
  const told = state.warnings.map(({ path, message }) => `${items.label(path)}: ${message}`)
  const caught = state.caught.first.map((error) => failureText(error, '', items))
  const tolerated = toleratedItems(run, state)
  const all = [
    ...labelled('failed, and the run went on', passed, passed.length + (run.warnings_left_out ?? 0)),
    ...labelled('warning', told, told.length),
    ...labelled('caught', caught, state.caught.count),
    ...labelled('tolerated', tolerated.first, tolerated.count),
  ]
  if (all.length === 0) return []
  return ['', ...all.map(({ label, text }) => `${paint.yellow(`${label}:`)} ${printableLine(text)}`)]
}

interface Line {
  readonly label: string
  readonly text: string
}

function labelled(label: string, texts: readonly string[], count: number): readonly Line[] {
  const first = texts.slice(0, named)
  const more = count > first.length ? [{ label, text: `${count - first.length} more` }] : []
  return [...first.map((text) => ({ label, text })), ...more]
}

/** The steps outside of loops that succeeded although items of theirs failed. */
export function toleratingSteps({ steps }: Pick<ReportedRun, 'steps'>, state: RunState): readonly StepView[] {
  const ended = steps.filter(({ status, path }) => status === 'succeeded' && !path.includes('['))
  return ended.flatMap(({ path }) => {
    const step = state.stepOf(path)
    return step?.path === path && (step.tally?.failed ?? 0) > 0 ? [step] : []
  })
}

/** Items that failed, as many as their step tolerates: those of a loop by the step in them, those of a batch by number. */
function toleratedItems(
  { steps }: ReportedRun,
  state: RunState,
): { readonly first: readonly string[]; readonly count: number } {
  const found = toleratingSteps({ steps }, state)
  return {
    first: found.flatMap((step) => failedItems(step, state.items)),
    count: found.reduce((sum, { tally }) => sum + (tally?.failed ?? 0), 0),
  }
}

/** The first items of a step that failed, in words. */
function failedItems(
  { path, failedItems: failed, failures = [] }: StepView,
  items: ItemNames,
): readonly string[] {
  if (failed.length > 0) return failed.map((error) => failureText(error, '', items))
  return failures.map(
    ({ index, code, message }) => `${items.label(path)}: item ${index}: ${code}: ${message}`,
  )
}
