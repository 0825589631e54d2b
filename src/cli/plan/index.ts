/** `opsbook plan`: previews what a run would do. */

import { readPlanDocument } from '../../acts/reads/plan/index.ts'
import { lookUpActions } from '../../project/actions/index.ts'
import { readUntrusted } from '../../project/configuration/index.ts'
import { loadPlan } from '../../project/runbooks/index.ts'
import { answer, answerJson, type CommandContext, tell } from '../shared/context.ts'
import { type ExitCode, exitCodes } from '../shared/exit-codes.ts'
import type { OutputFlags, WithActionsFlags } from '../shared/options.ts'
import { type InputSources, readInputs } from '../shared/read-inputs.ts'
import { planLines } from './text/plan-lines.ts'

/** The flags of `plan`, as the parser hands them over. */
export interface PlanOptions extends InputSources, OutputFlags, WithActionsFlags {
  readonly sandbox?: boolean
}

/** Shows the preview of a runbook. Returns `usage` when an argument is known to be wrong. */
export async function plan(context: CommandContext, named: string, options: PlanOptions): Promise<ExitCode> {
  const { actions, notLoaded } = await lookUpActions(context.io, options.withActions === true)
  // An untrusted configuration is harmless here: no code is executed, and nothing is sent.
  const configuration = await readUntrusted(context.io)
  const runbook = await loadPlan(named, actions, context, { notLoaded, sandbox: options.sandbox === true })
  const { document } = readPlanDocument({
    plan: runbook,
    inputs: await readInputs(options, runbook.inputs, context.io),
    actions,
    notLoaded,
    configuration,
    isSandbox: options.sandbox === true,
    io: context.io,
  })
  if (options.output === 'json') answerJson(context, document)
  else answer(context, planLines(document, context))
  const count = document.problems.length
  if (count === 0) return exitCodes.succeeded
  const what = count === 1 ? '1 argument is' : `${count} arguments are`
  tell(context, `${context.errorPaint.red('error:')} ${what} known to be wrong; a run would be refused`)
  return exitCodes.usage
}
