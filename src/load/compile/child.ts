import { anyType, type ValueType } from '../../core/expressions/index.ts'
import { isJsonObject, type JsonPath } from '../../core/json.ts'
import { checkGivenInputs } from '../inputs/check-given-inputs.ts'
import { unreadableText } from '../yaml/findings.ts'
import { findChild } from './children.ts'
import type { CompileContext } from './context.ts'
import type { Compiled } from './template.ts'

/** The runbook that a `core/run` step runs: its name in the plan, and what it answers with. */
export interface CompiledChild {
  readonly key?: string
  readonly outputs: ValueType
}

const unknown: CompiledChild = { outputs: anyType }

/** Compiles the runbook that a `core/run` step names, and checks what it is given. */
export function compileChild(
  context: CompileContext,
  given: Compiled,
  values: unknown,
  path: JsonPath,
): CompiledChild {
  const { source } = context
  const named = isJsonObject(values) ? values['runbook'] : undefined
  if (typeof named !== 'string' || named === unreadableText || named === '') return unknown
  const at = [...path, 'runbook']
  if (given.parts?.['runbook']?.template.kind !== 'literal') {
    const message = 'the runbook becomes a part of this one when it is loaded, so its path is written out'
    source.add('EXPRESSION_NOT_ALLOWED', at, message, 'one step for each, with an if')
    return unknown
  }
  if (/^([/\\~]|[a-zA-Z][a-zA-Z0-9+.-]*:)/.test(named) || named.includes('\\')) {
    const message = `"${named}" is not a path from this file, with "/" between its parts`
    source.add('INVALID_PATH', at, message, 'such as ./collect.yaml')
    return unknown
  }
  const child = findChild(context.children, named)
  if ('code' in child) {
    source.add(child.code, at, child.message, child.hint)
    return unknown
  }
  for (const code of child.failCodes) context.failCodes.add(code)
  const inputs = given.parts?.['inputs']
  const inputsPath = inputs ? [...path, 'inputs'] : path
  const nothing: Compiled = { template: { kind: 'literal', value: {} }, type: { kinds: ['map'] } }
  const inputValues = isJsonObject(values) ? (values['inputs'] ?? {}) : {}
  if (child.isSound) checkGivenInputs(source, child.inputs, inputs ?? nothing, inputValues, inputsPath)
  return { key: child.key, outputs: child.outputs }
}
