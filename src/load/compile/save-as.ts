import type { ActionDescription } from '../../core/action.ts'
import { builtinActions } from '../../core/builtins/index.ts'
import { referencesOf } from '../../core/expressions/index.ts'
import { isJsonObject, type JsonPath } from '../../core/json.ts'
import { claimFileName, fileNameProblem } from '../../core/text/index.ts'
import type { StepKeys } from '../runbook-document.ts'
import type { CompileContext } from './context.ts'
import { type TypeScope, turnIndex } from './scope.ts'
import { type Compiled, compileTyped } from './template.ts'

/** Compiles the file that a step writes: inside the artifacts of the run, and not one that another step writes too. */
export function compileSaveAs(
  context: CompileContext,
  step: StepKeys,
  action: ActionDescription | undefined,
  path: JsonPath,
  scope: TypeScope,
): Compiled | undefined {
  const written = step['save-as']
  if (written === undefined) return undefined
  const { source } = context
  const at = [...path, 'save-as']
  if (action && (action.savesFile === 'never' || builtinActions.includes(action))) {
    const message = `${action.name} has nothing to save`
    source.add('UNSUPPORTED_SAVE_AS', { key: at }, message, 'core/write saves any value')
  }
  const compiled = compileTyped(context, written, at, scope, ['text', 'number', 'boolean'])
  // A value is not known yet, and can be one that fits.
  const problem = written === '' ? undefined : fileNameProblem(written.replace(/\$\{\{.*?\}\}/g, 'x'))
  if (problem !== undefined) {
    const message = `"${written}" ${problem}`
    source.add('INVALID_PATH', at, message, 'such as reports/host.md')
  } else if (written !== '') checkOneWriter(context, written, compiled, at, scope)
  return compiled
}

/** Whether a condition, a choice, a loop or a failure decides that a step runs. */
function mayBeLeftOut(document: unknown, path: JsonPath): boolean {
  let at = document
  return path.some((key) => {
    at = (at as Readonly<Record<string, unknown>>)[key]
    return (
      ['choose', 'catch'].includes(String(key)) ||
      (isJsonObject(at) && ['if', 'for-each'].some((one) => Object.hasOwn(at as object, one)))
    )
  })
}

function checkOneWriter(
  { source, files }: CompileContext,
  written: string,
  { template }: Compiled,
  at: JsonPath,
  scope: TypeScope,
): void {
  const first = template.kind === 'literal' ? claimFileName(files, written, at) : undefined
  const warn = (message: string, hint: string): void => source.warn('SAME_FILE', at, message, hint)
  if (first !== undefined) {
    const { line } = source.rangeOf(first).start
    const message = `the step in line ${line} writes this file, too, or one in a folder of this name`
    const hint = 'the later one fails: give each step a file of its own'
    if (mayBeLeftOut(source.value, first) || mayBeLeftOut(source.value, at)) warn(message, hint)
    else source.add('SAME_FILE', at, message, hint)
  }
  const { loops } = scope
  if (loops.length === 0) return
  const used = new Set(referencesOf(template).map(([root]) => root))
  // What is different for each item may come by other steps inside the loop.
  const differs =
    used.has('index') || used.has('steps') || used.has('turn') || loops.some((name) => used.has(name))
  const isTurn = loops.at(-1) === turnIndex
  const each = isTurn ? 'turn of the block' : 'item of the loop'
  if (!differs)
    warn(`every ${each} writes this file`, `such as \${{ ${isTurn ? turnIndex : 'index'} }}-${written}`)
}
