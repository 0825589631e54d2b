import type { ActionDescription } from '../../core/action.ts'
import { isJsonObject } from '../../core/json.ts'
import type { JsonPath } from '../json-path.ts'
import type { StepKeys } from '../runbook-document.ts'
import type { Source } from '../source.ts'
import { isUnknownYet, unreadable } from '../yaml/findings.ts'

/** Programs that read one of their arguments as a program. */
const shells = /(?:^|\/)(?:ba|da|z|k|a|c|tc|fi)?sh$/

/**
 * Checks a `core/command` step for values that would be read as code: its script, and its program. Both are written
 * out, so that whatever runs is in the runbook that was reviewed.
 */
export function checkCommand(
  source: Source,
  { name }: ActionDescription,
  step: StepKeys,
  path: JsonPath,
): void {
  const refuse = (at: JsonPath, message: string, hint: string): void =>
    source.findings.add('INJECTION_RISK', at, source.rangeOf(at), message, hint)
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
    else if (typeof program === 'string' && shells.test(program))
      checkShell(command, [...at, 'command'], refuse)
  }
  if ((command === undefined) === (script === undefined)) {
    const message = `${name} needs exactly one of command and script`
    source.findings.add('WRONG_ARGUMENT', at, source.rangeOf(at), message)
  }
}

const writeOut = 'write the list out, with expressions as single arguments: [systemctl, restart, "${{ … }}"]'

/** Everything after `-c` is a program, up to the values that it is given. */
function checkShell(
  command: readonly unknown[],
  at: JsonPath,
  refuse: (at: JsonPath, message: string, hint: string) => void,
): void {
  const flag = command.findIndex((word) => typeof word === 'string' && /^-\w*c\w*$/.test(word))
  if (flag < 0 || !isExpression(command[flag + 1])) return
  refuse(
    [...at, flag + 1],
    'an expression in a script could run anything that its value holds',
    'give the value in env, and read it in the script as "$NAME"',
  )
}

function isExpression(value: unknown): boolean {
  return typeof value === 'string' && value !== unreadable && isUnknownYet(value)
}
