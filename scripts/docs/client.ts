import { operations } from '../../src/api/operations/index.ts'
import type { AnyOperation } from '../../src/api/operations/operation.ts'
import type { Page } from './fill-page.ts'
import { list } from './wrap.ts'

/** docs/client.md: the methods come from the operations table. */
export const clientPage: Page = {
  file: 'docs/client.md',
  parts: { methods: methods },
}

function methods(): string {
  return list(Object.entries<AnyOperation>({ ...operations }).map(item))
}

function item([method, operation]: [string, AnyOperation]): string {
  const { id, summary, safety, limit } = operation
  const windows = [`${limit.perSecond}/s`, `${limit.perMinute}/min`]
  if (limit.perDay !== undefined) windows.push(`${limit.perDay}/day`)
  const counted = limit.per === 'app_key' ? 'each key' : 'the account'
  const facts = `Safety ${safety}; limits ${windows.join(', ')} for ${counted}; ${time(operation)} for an attempt.`
  return `**\`${method}\`** (${id}): ${summary}.${batchNote(operation)} ${facts}`
}

function batchNote({ batch }: AnyOperation): string {
  return batch ? ` Any number of \`${batch.argument}\`: ${batch.size} go in one request.` : ''
}

function time({ defaultTimeoutMs, minimumTimeoutMs }: AnyOperation): string {
  const least = minimumTimeoutMs === undefined ? '' : ` (at least ${minimumTimeoutMs / 1000} s)`
  return `${defaultTimeoutMs / 1000} s${least}`
}
