/** `opsbook plan`: what a run would do, as far as it can be said before it. */
import { coreActions } from '../../core/core-actions.ts'
import { forecastPlan } from '../../core/forecast/forecast-plan.ts'
import type { JsonValue } from '../../core/json.ts'
import { createMask } from '../../core/mask/mask.ts'
import { sensitiveInputs } from '../../core/record/sensitive-inputs.ts'
import type { PlanOptions } from '../commands/plan.ts'
import { readHttpRules } from '../configuration/http-rules.ts'
import { readConfiguration } from '../configuration/index.ts'
import { answer, answerJson, type CommandContext, tell } from '../context.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { readInputs } from '../inputs/read-inputs.ts'
import { loadActions } from '../load-actions.ts'
import { loadPlan } from '../run/load-plan.ts'
import { checkedByInput } from './checked-by-input.ts'
import { readAccounts } from './read-accounts.ts'
import { readPlanInputs } from './read-plan-inputs.ts'
import { planLines } from './text/plan-lines.ts'
import { toDocument } from './to-document.ts'

/** Shows the plan of a runbook. Answers `usage` when an argument is known to be wrong. */
export async function plan(context: CommandContext, named: string, options: PlanOptions): Promise<ExitCode> {
  const actions = await loadActions(context.io)
  const runbook = await loadPlan(named, actions, context)
  const given = readPlanInputs(runbook, await readInputs(options, runbook.inputs, context.io))
  const now = Date.now()
  const forecast = forecastPlan({
    plan: runbook,
    inputs: given.values,
    missingInputs: given.missing,
    actions: [...coreActions.map(checkedByInput), ...actions],
    countedFor: await readAccounts(context.io, options.sandbox === true),
    millisecondsUntil: (moment) => Date.parse(moment) - now,
  })
  const shown = toDocument(runbook, given, forecast, {
    nowMs: now,
    http: readHttpRules(await readConfiguration(context.io)),
  })
  const document = createMask(sensitiveInputs(runbook.inputs, given.values)).value(
    shown as unknown as JsonValue,
  ) as unknown as typeof shown
  if (options.output === 'json') answerJson(context, document)
  else answer(context, planLines(document, context))
  const count = forecast.problems.length
  if (count === 0) return exitCodes.succeeded
  const what = count === 1 ? '1 argument is' : `${count} arguments are`
  tell(context, `${context.errorPaint.red('error:')} ${what} known to be wrong; a run would be refused`)
  return exitCodes.usage
}
