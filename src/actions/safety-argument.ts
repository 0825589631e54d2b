import type { JsonSchema } from '../core/json.ts'
import { choice } from '../core/write-schema.ts'

/** The argument `safety` of an action whose calls differ in how safe they are. `create` says what that means there. */
export function safetyArgument(description: string, create: string): JsonSchema {
  return choice(description, {
    read: 'Changes nothing.',
    idempotent: 'Once or twice has the same effect.',
    create: create,
  })
}
