import type { CommandContext } from '../../context.ts'
import { printableLine } from '../../terminal/printable.ts'
import { chooseSymbols } from '../../terminal/symbols.ts'
import type { InputDocument, PlanDocument } from '../document.ts'
import { pairRows, rowLines, type Style } from './rows.ts'
import { runbookLines } from './step-lines.ts'
import { totalLines } from './total-lines.ts'
import { triggerLines } from './trigger-lines.ts'
import { valueWords } from './words.ts'

/** A plan for people: inputs, what starts it, every step, what it comes to, what is wrong. */
export function planLines(document: PlanDocument, { io, paint }: CommandContext): readonly string[] {
  const symbols = chooseSymbols(io.env)
  const style: Style = {
    paint,
    width: Math.min(io.stdout.columns ?? 80, 120),
    signs: { yes: symbols.pending, no: symbols.skipped, open: symbols.unknown },
    labelWidth: 10,
    arrow: symbols.pending === '.' ? '->' : '→',
    dot: symbols.separator,
  }
  const title = document.title === undefined ? '' : `  ${printableLine(document.title)}`
  return [
    `${paint.bold(document.runbook)}${title}`,
    '',
    ...inputLines(document.inputs, style),
    ...triggerLines(document.triggers, style),
    paint.bold('Steps'),
    '',
    ...runbookLines(document, 2, style),
    ...totalLines(document, style),
    ...notCheckedLines(document, style),
    ...problemLines(document, style),
  ]
}

function inputLines(inputs: readonly InputDocument[], style: Style): readonly string[] {
  if (inputs.length === 0) return []
  const pairs = inputs.map((input) => [input.name, inputWords(input)] as const)
  return [style.paint.bold('Inputs'), ...rowLines(pairRows('', pairs), 2, { ...style, labelWidth: 0 }), '']
}

function inputWords({ state, type, value }: InputDocument): string {
  if (value === undefined) {
    return state === 'missing' ? `not given: needed, ${type}` : 'not given: can be left out'
  }
  const words = valueWords({ state: 'known', value })
  return state === 'default' ? `${words}  (default)` : words
}

function notCheckedLines({ not_checked: list }: PlanDocument, { paint }: Style): readonly string[] {
  if (list.length === 0) return []
  return [
    '',
    paint.yellow('Not checked'),
    ...list.map(
      ({ action, modules }) =>
        `  ${printableLine(action)}  a call counts as one create; --with-actions loads ${modules.map(printableLine).join(', ')}`,
    ),
  ]
}

function problemLines({ problems }: PlanDocument, { paint }: Style): readonly string[] {
  if (problems.length === 0) return []
  return [
    '',
    paint.red('Known to be wrong'),
    ...problems.map(({ path, message }) => `  ${printableLine(path)}  ${printableLine(message)}`),
  ]
}
