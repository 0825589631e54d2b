import { entriesOf, readNamedRun } from '../../acts/reads/inbox/index.ts'
import type { NamedQuestions } from '../../core/people/index.ts'
import { stepIdOf, withoutPositions } from '../../core/plan/index.ts'
import { RunbookError } from '../../core/run-error.ts'
import { CommandError, type OpenProject } from '../../project/index.ts'
import { locationFlags } from '../../project/text/index.ts'
import { entryLines } from '../inbox/entry-lines.ts'

/**
 * Throws the refusal of an answer. Where what was shown is not what the step asks now, it is printed below what the step
 * asks now and the commands that answer it.
 */
export async function refuseWithFacts(
  thrown: unknown,
  runId: string,
  { step, shown }: NamedQuestions,
  { engine, flags, errorPaint }: OpenProject,
): Promise<never> {
  if (!RunbookError.is(thrown) || thrown.code !== 'InvalidInput') throw thrown
  const run = await engine.readRunState(runId)
  const names = [withoutPositions(step), step]
  const asked = (run ? entriesOf({ ...run, unresolved: [] }) : []).flatMap((entry) =>
    entry.kind === 'question' &&
    names.some((name) => [entry.group.step, stepIdOf(entry.group.step)].includes(name))
      ? [entry]
      : [],
  )
  const words = asked.flatMap(({ group }) => [group.shown, ...group.questions.map((one) => one.shown)])
  if (asked.length === 0 || words.some((word) => word === shown)) throw thrown
  const named = await readNamedRun(
    runId,
    asked.flatMap(({ paths }) => paths),
    engine,
  )
  const view = { paint: errorPaint, now: Date.now(), flags: locationFlags(flags) }
  const { message, next } = thrown
  throw new CommandError('usage', `InvalidInput: ${message}`, {
    code: 'InvalidInput',
    details: asked.flatMap((entry) => [...entryLines(entry, named, view), '']).join('\n'),
    hints: next === undefined || next === '' ? [] : [next],
    cause: thrown,
  })
}
