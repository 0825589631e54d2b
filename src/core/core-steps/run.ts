import { isJsonObject } from '../json.ts'
import { RunbookError } from '../run-error.ts'
import { runDocument } from '../steps/document.ts'
import { outputsOf } from '../steps/step-result.ts'
import type { CoreStep } from './core-step.ts'

/** Runs another runbook as a step: it sees its inputs and nothing else of this one. */
export const runChild: CoreStep = async ({ path, uses, input, frame }) => {
  const child = frame.children[uses.runbook ?? '']
  if (!child)
    throw new RunbookError('InternalDefect', 'the plan does not hold the runbook of the step', { path })
  const given = input['inputs'] ?? {}
  const { inputs, problems } = await frame.host.checkInputs(child, isJsonObject(given) ? given : {}, path)
  if (problems.length > 0) {
    const list = problems.map((problem) => problem.message).join('; ')
    throw new RunbookError('InvalidInput', `the inputs do not fit ${child.name}: ${list}`, {
      path,
      notSent: true,
    })
  }
  const run = frame.scope['run']
  const { id = '', started_at = '' } = isJsonObject(run) ? run : {}
  const scope = { inputs, run: { id, name: child.name, started_at } }
  const result = await runDocument(child, { ...frame, path, scope })
  const { status, attempts, error } = result
  return { status, attempts, outputs: outputsOf(result) ?? {}, ...(error ? { error } : {}) }
}
