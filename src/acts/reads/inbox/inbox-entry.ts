import { groupQuestions, type QuestionGroup } from '../../../core/people/index.ts'
import type { RunSummary } from '../../../core/record/index.ts'
import type { UnresolvedCall, WaitingRun } from '../../../engine/index.ts'

/** What waits for one person: a question, for one item or for many, or a call with an unknown outcome. */
export type WaitingEntry = {
  readonly run: RunSummary
  /** Sorts the entries: deadlines in Unix milliseconds first, then those without one by their age. */
  readonly order: number
  /** The paths that it names. */
  readonly paths: readonly string[]
} & (
  | { readonly kind: 'question'; readonly group: QuestionGroup; readonly untilMs: number | undefined }
  | { readonly kind: 'unknown_outcome'; readonly call: UnresolvedCall; readonly sinceMs: number }
)

/** More than any time in milliseconds: what has no deadline comes after what has one. */
const withoutDeadline = 1e15

/** What waits for people in one run. */
export function entriesOf({ questions, unresolved, ...run }: WaitingRun): readonly WaitingEntry[] {
  const endedMs = Date.parse(run.ended_at ?? run.started_at)
  return [
    ...groupQuestions(questions).map((group): WaitingEntry => {
      const deadlines = group.questions.flatMap(({ until }) => (until === undefined ? [] : Date.parse(until)))
      const untilMs = deadlines.length === 0 ? undefined : deadlines.reduce((a, b) => Math.min(a, b))
      const askedMs = Date.parse(group.questions[0]?.asked_at ?? run.started_at)
      const paths = group.questions.map(({ path }) => path)
      return { run, kind: 'question', group, untilMs, order: untilMs ?? withoutDeadline + askedMs, paths }
    }),
    ...unresolved.map(
      (call): WaitingEntry => ({
        run,
        kind: 'unknown_outcome',
        call,
        sinceMs: endedMs,
        order: withoutDeadline + endedMs,
        paths: [call.path],
      }),
    ),
  ]
}
