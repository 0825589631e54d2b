import { type ExpressionFunction, expressionFunctions } from '../../src/core/expressions/functions.ts'
import { describeKinds } from '../../src/core/expressions/value-type.ts'
import type { Page } from './fill-page.ts'

const groups = {
  text: 'Text',
  lists: 'Lists',
  numbers: 'Numbers',
  conversion: 'Conversion',
} as const satisfies Record<ExpressionFunction['group'], string>

/** docs/expressions.md: the reference of the functions comes from their records. */
export const expressionsPage: Page = {
  file: 'docs/expressions.md',
  parts: { functions: functionReference },
}

function functionReference(): string {
  return Object.entries(groups)
    .map(([group, title]) => {
      const rows = expressionFunctions.filter((entry) => entry.group === group).map(row)
      return [
        `### ${title}`,
        '',
        '| Function | Gives | What it does | True, for example |',
        '|---|---|---|---|',
        ...rows,
      ].join('\n')
    })
    .join('\n\n')
}

function row(entry: ExpressionFunction): string {
  const cells = [
    `\`${signature(entry)}\``,
    describeKinds(entry.result.kinds),
    entry.summary,
    `\`${entry.example}\``,
  ]
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
}

function signature({ name, parameters, optional = 0 }: ExpressionFunction): string {
  const names = parameters.map((parameter, index) =>
    index < parameters.length - optional ? parameter.name : `${parameter.name}?`,
  )
  return `${name}(${names.join(', ')})`
}
