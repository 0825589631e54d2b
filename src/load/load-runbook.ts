import { createHash } from 'node:crypto'
import type { ActionDescription } from '../core/action.ts'
import type { Diagnostic } from '../core/diagnostic.ts'
import type { JsonSchema } from '../core/json.ts'
import type { Plan, StepPlan } from '../core/plan.ts'
import { checkShape, createAjv } from './check-shape.ts'
import { compileStep } from './compile-step.ts'
import { compileTemplate } from './compile-template.ts'
import type { RunbookDocument } from './runbook-document.ts'
import { readSource, type Source } from './source.ts'

/** What loading came to: a plan where nothing is wrong, and everything that was found, in order of place. */
export interface LoadResult {
  readonly plan?: Plan
  readonly diagnostics: readonly Diagnostic[]
}

const idPattern = /^[a-z][a-z0-9_]*$/
const reservedIds = ['true', 'false', 'null', 'in']

/** Loads a runbook. Mistakes of its author are diagnostics with positions; nothing is thrown for them. */
export function loadRunbook(text: string, actions: readonly ActionDescription[]): LoadResult {
  const source = readSource(text)
  if (source.value !== undefined) checkShape(source)
  const canCompile =
    source.value !== undefined && !source.findings.list.some(({ code }) => stopsCompiling.has(code))
  const plan = canCompile ? compile(source, source.value as RunbookDocument, actions) : undefined
  const diagnostics = source.findings.list.toSorted((a, b) => a.range.start.offset - b.range.start.offset)
  const isSound = !diagnostics.some(({ severity }) => severity === 'error')
  return { ...(plan && isSound ? { plan } : {}), diagnostics }
}

/** After these, further findings would mislead: the compiler could not trust what it reads. */
const stopsCompiling: ReadonlySet<string> = new Set(['MISSING_KEY', 'WRONG_TYPE'])

function compile(source: Source, document: RunbookDocument, actions: readonly ActionDescription[]): Plan {
  checkInputsSchema(source, document.inputs)
  const inputs: JsonSchema | undefined = document.inputs
  const ids: string[] = []
  const steps: StepPlan[] = []
  for (const [index, step] of document.steps.entries()) {
    const path = ['steps', index]
    const names = { roots: ['inputs', 'steps', 'run'], steps: [...ids], inputs }
    const compiled = compileStep(source, step, path, names, actions, document.defaults)
    if (compiled) steps.push(compiled)
    checkId(source, step.id, [...path, 'id'], ids)
    ids.push(step.id)
  }
  const names = { roots: ['inputs', 'steps', 'run'], steps: ids, inputs }
  const { name, title, description, outputs } = document
  const content: Omit<Plan, 'hash'> = {
    language: 'opsbook/v1',
    name,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(inputs === undefined ? {} : { inputs }),
    steps,
    ...(outputs === undefined ? {} : { outputs: compileTemplate(source, outputs, ['outputs'], names) }),
  }
  return { ...content, hash: createHash('sha256').update(JSON.stringify(content)).digest('hex') }
}

function checkId(
  source: Source,
  id: string,
  path: readonly (string | number)[],
  taken: readonly string[],
): void {
  const range = source.rangeOf(path)
  if (taken.includes(id))
    source.findings.add('DUPLICATE_ID', path, range, `another step is called "${id}" already`)
  if (idPattern.test(id) && !reservedIds.includes(id)) return
  const usable = id.toLowerCase().replaceAll(/[^a-z0-9_]+/g, '_')
  const hint = idPattern.test(usable) && !reservedIds.includes(usable) ? `such as ${usable}` : undefined
  const message = `"${id}" cannot be an id: lower-case letters, digits and "_" only, a letter first`
  source.findings.add('INVALID_ID', path, range, message, hint)
}

function checkInputsSchema(source: Source, inputs: JsonSchema | undefined): void {
  if (inputs === undefined) return
  try {
    createAjv().compile({ type: 'object', ...inputs })
    if (inputs['type'] === undefined || inputs['type'] === 'object') return
    const message = 'the inputs of a runbook are an object'
    source.findings.add(
      'INVALID_SCHEMA',
      ['inputs', 'type'],
      source.rangeOf(['inputs', 'type']),
      message,
      'type: object',
    )
  } catch (error) {
    const message = `not a JSON Schema: ${(error as Error).message}`
    source.findings.add('INVALID_SCHEMA', ['inputs'], source.rangeOf(['inputs']), message)
  }
}
