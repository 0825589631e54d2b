/** `opsbook plan`: what a run would do, as far as it can be said before it. */
import { coreActions } from '../../core/core-actions.ts'
import { forecastPlan, outsideSteps } from '../../core/forecast/forecast-plan.ts'
import type { JsonValue } from '../../core/json.ts'
import { createMask } from '../../core/mask/mask.ts'
import { sensitiveInputs } from '../../core/record/sensitive-inputs.ts'
import type { PlanOptions } from '../commands/plan.ts'
import { readHttpRules } from '../configuration/http-rules.ts'
import { readUntrusted } from '../configuration/index.ts'
import { notifyTargets } from '../configuration/notify-targets.ts'
import { answer, answerJson, type CommandContext, tell } from '../context.ts'
import { type ExitCode, exitCodes } from '../exit-codes.ts'
import { readInputs } from '../inputs/read-inputs.ts'
import { lookUpActions } from '../load-actions.ts'
import { loadPlan } from '../run/load-plan.ts'
import { usesOf } from '../run/uses-of-plan.ts'
import { checkedByInput } from './checked-by-input.ts'
import { readAccounts } from './read-accounts.ts'
import { readPlanInputs } from './read-plan-inputs.ts'
import { planLines } from './text/plan-lines.ts'
import { toDocument } from './to-document.ts'

/** Shows the plan of a runbook. Answers `usage` when an argument is known to be wrong. */
export async function plan(context: CommandContext, named: string, options: PlanOptions): Promise<ExitCode> {
  const { actions, notLoaded } = await lookUpActions(context.io, options.withActions === true)
  // Nothing of it is obeyed here: no code runs, and nothing is sent.
  const configuration = await readUntrusted(context.io)
  const runbook = await loadPlan(named, actions, context, notLoaded)
  const given = readPlanInputs(runbook, await readInputs(options, runbook.inputs, context.io))
  const now = Date.now()
  const loaded = new Set([...coreActions, ...actions].map(({ name }) => name))
  const called = new Set(usesOf(runbook).map(({ action }) => action.name))
  const notChecked = [...called].filter((name) => !loaded.has(name))
  const known = { plan: runbook, inputs: given.values, missingInputs: given.missing, actions }
  const forecast = forecastPlan({
    plan: runbook,
    inputs: given.values,
    missingInputs: given.missing,
    actions: [...coreActions.map(checkedByInput), ...actions],
    notLoaded: notChecked,
    countedFor: readAccounts(configuration, options.sandbox === true),
    millisecondsUntil: (moment) => Date.parse(moment) - now,
  })
  const shown = toDocument(runbook, given, forecast, {
    nowMs: now,
    http: readHttpRules(configuration),
    notChecked: notChecked.map((action) => ({ action, modules: notLoaded })),
    ...(options.sandbox
      ? {
          outside: {
            steps: outsideSteps(known),
            notifications: notifyTargets(configuration, context.io).length,
          },
        }
      : {}),
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
