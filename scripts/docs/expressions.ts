import { type ExpressionFunction, functionGroups } from '../../src/core/expressions/functions.ts'
import { itemSize, maxDepth, maxSize, maxSteps } from '../../src/core/expressions/machine.ts'
import { patternLetters } from '../../src/core/expressions/time-pattern.ts'
import { describeKinds } from '../../src/core/expressions/value-type.ts'
import { maxCharacters, maxLevels } from '../../src/load/expressions/problem.ts'
import { differences } from './expression-differences.ts'
import type { Page } from './fill-page.ts'

/** docs/expressions.md: functions, limits and the differences to CEL come from their tables. */
export const expressionsPage: Page = {
  file: 'docs/expressions.md',
  parts: {
    functions: functionReference,
    'time-pattern': patternTable,
    limits: limitTable,
    differences: differenceTable,
  },
}

function functionReference(): string {
  const columns = ['Function', 'Gives', 'What it does', 'True, for example']
  return Object.entries(functionGroups)
    .map(([title, entries]) => `### ${title}\n\n${table(columns, entries.map(functionRow))}`)
    .join('\n\n')
}

function functionRow(entry: ExpressionFunction): readonly string[] {
  return [`\`${signature(entry)}\``, describeKinds(entry.result.kinds), entry.summary, `\`${entry.example}\``]
}

function signature({ name, parameters, optional = 0 }: ExpressionFunction): string {
  const names = parameters.map((parameter, index) =>
    index < parameters.length - optional ? parameter.name : `${parameter.name}?`,
  )
  return `${name}(${names.join(', ')})`
}

function patternTable(): string {
  return table(
    ['Letters', 'Stand for', 'For example'],
    patternLetters.map(({ letters, meaning, example }) => [`\`${letters}\``, meaning, `\`${example}\``]),
  )
}

function limitTable(): string {
  return table(
    ['What', 'At most', 'When it is found'],
    [
      ['characters of an expression', count(maxCharacters), 'at load'],
      ['parts inside one another', count(maxLevels), 'at load'],
      ['steps of one evaluation', count(maxSteps), 'as `ExpressionTooCostly`'],
      [
        `characters that one evaluation makes; an item of a list or a field of a map counts as ${itemSize}`,
        count(maxSize),
        'as `ExpressionTooCostly`',
      ],
      [
        'levels of a value that is compared, written as JSON or made',
        count(maxDepth),
        'as `ExpressionTooCostly`',
      ],
    ],
  )
}

function count(value: number): string {
  return value.toLocaleString('en-US')
}

function differenceTable(): string {
  return table(
    ['What', 'CEL', 'Here', 'Example', 'It is'],
    differences.map(({ what, cel, here, example, becomes }) => [what, cel, here, `\`${example}\``, becomes]),
  )
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n')
}
