import { type Action, createActions, defineAction, type JsonObject, type Safety } from 'opsbook'

/** One call of a note action. */
export interface NoteCall {
  readonly safety: Safety
  readonly name: string
  readonly attempt: number
  readonly signal: AbortSignal
}

/** Actions that do what the test says: `note/read`, `note/put` (idempotent) and `note/make` (create). */
export function createNoteActions(
  answer: (call: NoteCall) => JsonObject | Promise<JsonObject>,
): readonly Action[] {
  const define = (name: string, safety: Safety): Action =>
    defineAction<{ name: string; more?: unknown }>({
      name,
      summary: `Notes: ${safety}`,
      safety,
      input: {
        type: 'object',
        required: ['name'],
        additionalProperties: false,
        properties: { name: { type: 'string' }, more: {} },
      },
      output: { type: 'object' },
      run: ({ name }, { attempt, signal }) => answer({ safety, name, attempt, signal }),
    })
  return createActions([
    define('note/read', 'read'),
    define('note/put', 'idempotent'),
    define('note/make', 'create'),
  ])
}
