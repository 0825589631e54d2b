/** `opsbook plan`: previews what a run would do. */

import { builtinActions } from '../../core/builtins/index.ts'
import type { JsonValue } from '../../core/json.ts'
import { createMask } from '../../core/mask/index.ts'
import { type Counted, outsideSteps, previewPlan } from '../../core/preview/index.ts'
import { sensitiveInputs } from '../../core/record/index.ts'
import { httpConnections, serviceConnections } from '../shared/configuration/connections-schema.ts'
import { windowsOf } from '../shared/configuration/http-connection.ts'
import { readHttpRules } from '../shared/configuration/http-rules.ts'
import { notifyTargets } from '../shared/configuration/notify-targets.ts'
import { type Configuration, readUntrusted } from '../shared/configuration/read-configuration.ts'
import { answer, answerJson, type CommandContext, tell } from '../shared/context.ts'
import { type ExitCode, exitCodes } from '../shared/exit-codes.ts'
import { lookUpActions } from '../shared/load-actions.ts'
import type { OutputFlags, WithActionsFlags } from '../shared/options.ts'
import { type InputSources, readInputs } from '../shared/read-inputs.ts'

import { loadPlan } from '../shared/runbook-files/load-runbooks.ts'
import { sandboxName } from '../shared/sandbox-name.ts'
import { usesOf } from '../shared/uses-of-plan.ts'
import { readPlanInputs } from './read-plan-inputs.ts'
import { planLines } from './text/plan-lines.ts'
import { toDocument } from './to-document.ts'

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
  const given = readPlanInputs(runbook, await readInputs(options, runbook.inputs, context.io))
  const now = Date.now()
  const loaded = new Set([...builtinActions, ...actions].map(({ name }) => name))
  const called = new Set(usesOf(runbook).map(({ action }) => action.name))
  const notChecked = [...called].filter((name) => !loaded.has(name))
  const known = { plan: runbook, inputs: given.values, missingInputs: given.missing, actions }
  const preview = previewPlan({
    plan: runbook,
    inputs: given.values,
    missingInputs: given.missing,
    actions,
    notLoaded: notChecked,
    countedFor: readAccounts(configuration, options.sandbox === true),
    millisecondsUntil: (moment) => Date.parse(moment) - now,
  })
  const shown = toDocument(runbook, given, preview, {
    nowMs: now,
    http: readHttpRules(configuration),
    commands: configuration.document.commands ?? {},
    people: configuration.document.people ?? {},
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
  const count = preview.problems.length
  if (count === 0) return exitCodes.succeeded
  const what = count === 1 ? '1 argument is' : `${count} arguments are`
  tell(context, `${context.errorPaint.red('error:')} ${what} known to be wrong; a run would be refused`)
  return exitCodes.usage
}

/**
 * Maps connections to accounts, which share rate limits. Without a configuration each name is a separate account. With a
 * sandbox there is one account.
 */
function readAccounts(
  { document }: Configuration,
  isSandbox: boolean,
): (connection: string | undefined) => Counted {
  if (isSandbox) return () => ({ account: sandboxName, key: sandboxName })
  const connections = serviceConnections(document.connections)
  const others = httpConnections(document.connections)
  const names = Object.keys(connections)
  const otherwise = names.length === 1 ? (names[0] ?? 'default') : 'default'
  return (connection = otherwise) => {
    const found = Object.hasOwn(connections, connection) ? connections[connection] : undefined
    const limits = Object.hasOwn(others, connection) ? others[connection]?.limits : undefined
    const key = found?.['app-key'] ?? connection
    return {
      account: found?.account ?? key,
      key,
      ...(limits === undefined ? {} : { limit: { per: 'connection', ...windowsOf(limits) } }),
    }
  }
}
