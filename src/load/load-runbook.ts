import { createHash } from 'node:crypto'
import type { ActionDescription } from '../core/action.ts'
import { coreActions } from '../core/core-actions.ts'
import type { Diagnostic } from '../core/diagnostic.ts'
import type { JsonSchema } from '../core/json.ts'
import type { Plan } from '../core/plan.ts'
import { checkKeys } from './check-keys.ts'
import { checkShape, createAjv } from './check-shape.ts'
import type { CompileContext } from './compile/context.ts'
import { milliseconds } from './compile/policies.ts'
import { documentScope, withAbsentSteps } from './compile/scope.ts'
import { compileCatch, compileSteps } from './compile/steps.ts'
import { compileTemplate } from './compile/template.ts'
import { compileTriggers } from './compile/triggers.ts'
import type { RunbookDocument } from './runbook-document.ts'
import { readSource, type Source } from './source.ts'

/** What loading came to: a plan where nothing is wrong, and everything that was found, in order of place. */
export interface LoadResult {
  readonly plan?: Plan
  readonly diagnostics: readonly Diagnostic[]
}

/** After these, further findings would mislead: the compiler could not trust what it reads. */
const stopsCompiling: ReadonlySet<string> = new Set(['MISSING_KEY', 'WRONG_TYPE', 'NOT_ONE_STEP_KIND'])

/** Loads a runbook. Mistakes of its author are diagnostics with positions; nothing is thrown for them. */
export function loadRunbook(text: string, actions: readonly ActionDescription[]): LoadResult {
  const source = readSource(text)
  if (source.value !== undefined) {
    checkShape(source)
    checkKeys(source)
  }
  const canCompile =
    source.value !== undefined && !source.findings.list.some(({ code }) => stopsCompiling.has(code))
  const plan = canCompile ? compile(source, source.value as RunbookDocument, actions) : undefined
  const diagnostics = source.findings.list.toSorted((a, b) => a.range.start.offset - b.range.start.offset)
  const isSound = !diagnostics.some(({ severity }) => severity === 'error')
  return { ...(plan && isSound ? { plan } : {}), diagnostics }
}

function compile(source: Source, document: RunbookDocument, actions: readonly ActionDescription[]): Plan {
  checkInputsSchema(source, document.inputs)
  const context: CompileContext = {
    source,
    document,
    actions: new Map([...coreActions, ...actions].map((action) => [action.name, action])),
    ids: new Set(),
  }
  const scope = documentScope(document.inputs)
  const triggers = compileTriggers(context)
  const concurrency =
    document.concurrency && compileTemplate(source, document.concurrency.key, ['concurrency', 'key'], scope)
  const { steps, scope: after } = compileSteps(context, document.steps, ['steps'], scope)
  const caught = compileCatch(context, document.catch, ['catch'], scope, after)
  const cleanUp =
    document.finally && compileSteps(context, document.finally, ['finally'], withAbsentSteps(scope, after))
  const outputs =
    document.outputs === undefined ? undefined : compileTemplate(source, document.outputs, ['outputs'], after)
  const { name, title, description, labels, inputs, secrets, timeout } = document
  const content = withoutUndefined<Omit<Plan, 'hash'>>({
    language: 'opsbook/v1',
    version: 1,
    name,
    title,
    description,
    labels,
    inputs,
    secrets,
    triggers,
    concurrency: concurrency && {
      key: concurrency.template,
      onConflict: document.concurrency?.['on-conflict'] ?? 'reject',
    },
    timeoutMs: timeout === undefined ? undefined : milliseconds(timeout, 0),
    steps,
    catch: caught,
    finally: cleanUp?.steps,
    outputs: outputs?.template,
  })
  return { ...content, hash: createHash('sha256').update(JSON.stringify(content)).digest('hex') }
}

function withoutUndefined<T>(value: { readonly [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as T
}

function checkInputsSchema(source: Source, inputs: JsonSchema | undefined): void {
  if (inputs === undefined) return
  try {
    createAjv({ validateSchema: false, meta: false }).compile({ type: 'object', ...inputs })
    if (inputs['type'] === undefined || inputs['type'] === 'object') return
    const message = 'the inputs of a runbook are an object'
    const at = ['inputs', 'type']
    source.findings.add('INVALID_SCHEMA', at, source.rangeOf(at), message, 'type: object')
  } catch (error) {
    const message = `not a JSON Schema: ${(error as Error).message}`
    source.findings.add('INVALID_SCHEMA', ['inputs'], source.rangeOf(['inputs']), message)
  }
}
