import type { Payload } from '@temporalio/common'

const mark = 'opsbookUnreadable'

/** Replaces a payload that could not be read. */
export function unreadable(message: string): Payload {
  const encoder = new TextEncoder()
  return {
    metadata: { encoding: encoder.encode('json/plain') },
    data: encoder.encode(JSON.stringify({ [mark]: message })),
  }
}

/** Why a value could not be read; undefined when it could. */
export function whyUnreadable(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !(mark in value)) return undefined
  return String(value[mark])
}
