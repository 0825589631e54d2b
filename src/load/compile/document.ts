import { mapOf, type ValueType } from '../../core/expressions/index.ts'
import { isJsonObject, withoutUndefined } from '../../core/json.ts'
import type { Plan } from '../../core/plan/index.ts'
import { nearest, suggest } from '../../core/text/index.ts'
import { checkDefaultConnection } from '../arguments/check-connection.ts'
import { checkErrorCodes, failCodesIn } from '../check-error-codes.ts'
import { checkInputsSchema } from '../inputs/check-inputs-schema.ts'
import { languageDefaults } from '../language/defaults.ts'
import type { RunbookYaml } from '../runbook-document.ts'
import type { Source } from '../source.ts'
import { compileTriggers } from '../triggers/compile-triggers.ts'
import { checkCallbacks, findCallbacks } from './callbacks.ts'
import { checkCovers } from './check-covers.ts'
import { checkDocumentTimes } from './check-step-times.ts'
import type { Children } from './children.ts'
import type { CompileContext } from './context.ts'
import { markReads } from './mark-reads.ts'
import { milliseconds, texts } from './policies.ts'
import { endedRunType, keyRunType } from './run-type.ts'
import { documentScope, type TypeScope, withAbsentSteps, withTypes } from './scope.ts'
import { indexSteps } from './step-index.ts'
import { compileSteps } from './steps.ts'
import { compileTemplate, compileTyped } from './template.ts'
import { compileRetryWhen } from './uses.ts'

type PlanFields = Omit<Plan, 'hash' | 'text'>

/** A compiled runbook, and the type of what it answers with. */
export interface CompiledDocument {
  readonly plan: PlanFields
  readonly outputs: ValueType
  readonly failCodes: ReadonlySet<string>
}

/** Compiles a whole runbook. */
export function compileDocument(source: Source, document: RunbookYaml, children: Children): CompiledDocument {
  const index = indexSteps(document)
  const context: CompileContext = {
    source,
    document,
    actions: children.family.actions,
    index,
    callbacks: findCallbacks(source, index),
    ids: new Set(),
    files: new Map(),
    children,
    failCodes: new Set(failCodesIn(document)),
    namesNotChecked: new Set(),
  }
  if (document.inputs) checkInputsSchema(source, document.inputs)
  checkDocumentTimes(context)
  checkDefaultConnection(context)
  checkErrorCodes(context, document.defaults?.retry?.errors, ['defaults', 'retry', 'errors'])
  checkErrorCodes(context, document.defaults?.retry?.except, ['defaults', 'retry', 'except'])
  const callbackNames = [...context.callbacks.keys()]
  const scope = scopeOf(context, callbackNames)
  context.scope = scope
  const defaultRetry = ['defaults', 'retry']
  context.defaultRetryWhen = compileRetryWhen(context, document.defaults?.retry, defaultRetry, scope)
  const triggers = compileTriggers(context)
  const concurrency = compileConcurrency(context, scope)
  const { steps, scope: after } = compileSteps(context, document.steps ?? [], ['steps'], scope)
  const cleanUp =
    document.finally &&
    compileSteps(
      context,
      document.finally,
      ['finally'],
      withTypes(withAbsentSteps(scope, after), { run: endedRunType(callbackNames) }),
    )
  const outputs =
    document.outputs === undefined
      ? undefined
      : compileTemplate(context, document.outputs, ['outputs'], after)
  const { name = '', title, description, labels, inputs, secrets, timeout } = document
  const fields: { readonly [K in keyof PlanFields]-?: PlanFields[K] | undefined } = {
    language: 'opsbook/v1',
    version: 1,
    name,
    title,
    description,
    labels,
    inputs,
    secrets: secrets && texts(secrets),
    triggers,
    concurrency,
    timeoutMs: timeout === undefined ? undefined : milliseconds(timeout, 0),
    steps,
    finally: cleanUp?.steps,
    outputs: outputs?.template,
    hasSettings: context.hasSettings,
    measuresTime: undefined,
    readsUrl: undefined,
    children: undefined,
  }
  const plan = withoutUndefined(fields) as PlanFields
  checkSecrets(context, document.secrets)
  checkCallbacks(context, plan)
  checkCovers(context, plan)
  return {
    plan: markReads(plan),
    outputs: outputs?.type ?? mapOf({}),
    failCodes: context.failCodes,
  }
}

/** Inputs that could not be read can be anything: no finding about what is made of them. */
function scopeOf({ source, document }: CompileContext, callbacks: readonly string[]): TypeScope {
  const isUnread = document.inputs === undefined && isJsonObject(source.value) && 'inputs' in source.value
  return documentScope(isUnread ? { additionalProperties: true } : document.inputs, callbacks)
}

function compileConcurrency(context: CompileContext, scope: TypeScope): Plan['concurrency'] {
  const usual = languageDefaults.concurrency
  const { concurrency } = context.document
  if (concurrency?.key === undefined) return undefined
  const path = ['concurrency', 'key']
  const seen = withTypes(scope, { run: keyRunType() })
  const key = compileTyped(context, concurrency.key, path, seen, ['text', 'number', 'boolean'])
  const { limit = usual.limit, 'on-conflict': onConflict = usual.onConflict } = concurrency
  if (limit > 1 && onConflict === 'skip') {
    const message = `"skip" is about one active run, and "limit" allows ${limit}`
    const hint = 'use on-conflict: wait or reject, or leave "limit" out'
    context.source.add('WRONG_VALUE', ['concurrency', 'limit'], message, hint)
  }
  return { key: key.template, limit, onConflict }
}

/** Warns of the secrets that `opsbook.yaml` does not have, where it is known. */
function checkSecrets({ source, children }: CompileContext, names: RunbookYaml['secrets'] = []): void {
  const known = children.family.connections?.secrets
  if (known === undefined) return
  for (const [index, name] of names.entries()) {
    if (typeof name !== 'string' || known.includes(name)) continue
    const hint =
      nearest(name, known) === undefined ? `add it: secrets: { ${name}: env:NAME }` : suggest(name, known)
    source.warn('UNKNOWN_SECRET', ['secrets', index], `opsbook.yaml has no secret "${name}"`, hint)
  }
}
