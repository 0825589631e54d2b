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
  const passed = (run.warnings ?? []).map((error) => failureText(error, ''))
  const told = state.warnings.map(({ path, message }) => `${path}: ${message}`)
  const caught = state.caught.first.map((error) => failureText(error, ''))
  const tolerated = toleratedItems(run, state)
  const all = [
    ...labelled('failed, and the run went on', passed, passed.length),
    ...labelled('warning', told, told.length),
    ...labelled('caught', caught, state.caught.count),
    ...labelled(
      'tolerated',
      tolerated.first.map((error) => failureText(error, '')),
      tolerated.count,
    ),
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

/** Items of loops that failed, as many as their step tolerates. */
function toleratedItems(
  { steps }: ReportedRun,
  state: RunState,
): { readonly first: readonly ErrorData[]; readonly count: number } {
  const ended = steps.filter(({ status, path }) => status === 'succeeded' && !path.includes('['))
  const loops = ended.map(({ path }) => state.stepOf(path)).filter((step) => step?.failedItems.length)
  return {
    first: loops.flatMap((step) => step?.failedItems ?? []),
    count: loops.reduce((sum, step) => sum + (step?.tally?.failed ?? 0), 0),
  }
}
