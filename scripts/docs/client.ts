import { operations } from '../../src/api/operations/index.ts'
import type { AnyOperation } from '../../src/api/operations/operation.ts'
import type { Page } from './fill-page.ts'

/** docs/client.md: the methods come from the operations table. */
export const clientPage: Page = {
  file: 'docs/client.md',
  parts: { methods: methodTable },
}

function methodTable(): string {
  const rows = Object.entries<AnyOperation>({ ...operations }).map(row)
  return [
    '| Method | Does | Safety | Rate limit | Time for an attempt |',
    '|---|---|---|---|---|',
    ...rows,
  ].join('\n')
}

function row([method, operation]: [string, AnyOperation]): string {
  const { id, summary, safety, limit } = operation
  const windows = [`${limit.perSecond} a second`, `${limit.perMinute} a minute`]
  if (limit.perDay !== undefined) windows.push(`${limit.perDay} a day`)
  const counted = limit.per === 'app_key' ? 'each key' : 'the account'
  const cells = [
    `\`${method}\` (${id})`,
    `${summary}${batchNote(operation)}`,
    safety,
    `${windows.join(', ')}, for ${counted}`,
    time(operation),
  ]
  return `| ${cells.join(' | ')} |`
}

function batchNote({ batch }: AnyOperation): string {
  return batch ? `; any number of \`${batch.argument}\`, ${batch.size} go in one request` : ''
}

function time({ defaultTimeoutMs, minimumTimeoutMs }: AnyOperation): string {
  const least = minimumTimeoutMs === undefined ? '' : `, at least ${minimumTimeoutMs / 1000} s`
  return `${defaultTimeoutMs / 1000} s${least}`
}
