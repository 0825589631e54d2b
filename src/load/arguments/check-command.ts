import type { ActionDescription } from '../../core/action.ts'
import { formatReference, referencesOf } from '../../core/expressions/index.ts'
import { isJsonObject, type JsonPath } from '../../core/json.ts'
import type { CompileContext } from '../compile/context.ts'
import type { Compiled } from '../compile/template.ts'
import type { StepKeys } from '../runbook-document.ts'
import type { Source } from '../source.ts'
import { isUnknownYet, unreadableText } from '../yaml/findings.ts'
import { findCodeWords } from './find-code-words.ts'
import { hasUnknown } from './has-unknown.ts'
import { isSensitive } from './is-sensitive.ts'

/**
 * Checks a `core/command` step for values that would be read as code: its script, and its program. Both are written
 * out, so that whatever runs is in the runbook that was reviewed. Warns of values that others could read.
 */
export function checkCommand(
  context: CompileContext,
  action: ActionDescription,
  step: StepKeys,
  compiled: Compiled,
  path: JsonPath,
): void {
  const { source } = context
  const { name } = action
  const refuse = (at: JsonPath, message: string, hint: string): void =>
    source.add('INJECTION_RISK', at, message, hint)
  const given: unknown = step.with
  const at = [...path, 'with']
  if (isExpression(given)) refuse(at, `the arguments of ${name} are written out`, writeOut)
  if (!isJsonObject(given)) return
  const { command, script } = given
  if (isExpression(script))
    refuse(
      [...at, 'script'],
      'an expression in a script could run anything that its value holds',
      'give the value in env, and read it in the script as "$NAME"',
    )
  if (isExpression(command)) refuse([...at, 'command'], 'the program that runs is written out', writeOut)
  if (Array.isArray(command)) {
    const [program] = command
    if (isExpression(program)) refuse([...at, 'command', 0], 'the program that runs is written out', writeOut)
    else
      for (const place of findCodeWords(command.map(wordText), isExpression))
        refuse(
          [...at, 'command', place],
          'an expression in code could run anything that its value holds',
          'give the value in env, and read it in the script as "$NAME"',
        )
  }
  const count = [command, script].filter((one) => one !== undefined).length
  if (count === 2 || (count === 0 && !hasUnknown(action, given))) {
    const message = `${name} needs exactly one of command and script`
    source.add('WRONG_ARGUMENT', at, message)
  }
  warnOfArguments(context, compiled, [...at, 'command'])
  if (given['on'] !== undefined) refuseFiles(source, given, at)
}

/** Every user of a machine can read the arguments of its processes. */
function warnOfArguments(context: CompileContext, { parts }: Compiled, at: JsonPath): void {
  const { source } = context
  for (const [index, word] of Object.values(parts?.['command']?.parts ?? {}).entries()) {
    const shown = referencesOf(word.template).find((reference) => isSensitive(context, reference))
    if (shown === undefined) continue
    const message = `"${formatReference(shown)}" is sensitive, and other users of the machine can read the arguments of a command`
    const hint = 'give the value in env, and read it in a script as "$NAME"'
    source.warn('MISPLACED_SECRET', [...at, index], message, hint)
  }
}

/** The files of a run are on the machine that makes the calls. */
function refuseFiles(source: Source, given: Readonly<Record<string, unknown>>, at: JsonPath): void {
  const reads = (value: unknown): boolean => typeof value === 'string' && /\$\{?OPSBOOK_FILES\b/.test(value)
  const { command, script } = given
  const words = Array.isArray(command) ? command.findIndex(reads) : -1
  const place = reads(script) ? [...at, 'script'] : words < 0 ? undefined : [...at, 'command', words]
  if (place === undefined) return
  const message =
    'OPSBOOK_FILES is not set there: the files of the run are on the machine that makes the calls'
  const hint = 'read the file in a step without "on", and give what it wrote to this one in env'
  source.add('WRONG_ARGUMENT', place, message, hint)
}

const writeOut = 'write the list out, with expressions as single arguments: [systemctl, restart, "${{ … }}"]'

/** What is no text, and has its own finding, is no word of a program. */
function wordText(word: unknown): string {
  return typeof word === 'string' ? word : typeof word === 'number' ? String(word) : ''
}

function isExpression(value: unknown): boolean {
  return typeof value === 'string' && value !== unreadableText && isUnknownYet(value)
}
