import type { JsonSchema } from '../core/json.ts'

/** The argument `safety` of an action whose calls differ in how safe they are. `create` says what that means there. */
export function safetyArgument(description: string, create: string): JsonSchema {
  return {
    type: 'string',
    enum: ['read', 'idempotent', 'create'],
    enumDescriptions: ['Changes nothing.', 'Once or twice has the same effect.', create],
    description,
  }
}
