import { existsSync, readFileSync } from 'node:fs'
import { open, rename } from 'node:fs/promises'
import type { ClockState } from './clock.ts'
import { isObject } from './json.ts'
import type { WorldState } from './world.ts'

/** What a state file holds. */
export interface SavedState {
  readonly format: 1
  /** How often a sandbox was started on this file; keeps request ids apart. */
  readonly starts: number
  readonly clock: ClockState
  readonly world: WorldState
}

/**
 * Reads a state file; nothing when there is none. Throws when the file is something else, rather than write
 * over it.
 */
export function readStateFile(path: string): SavedState | undefined {
  if (!existsSync(path)) return undefined
  const problem = (reason: string): Error =>
    new Error(`${path} is not a state file of the sandbox: ${reason}`)
  let state: unknown
  try {
    state = JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    throw problem(error instanceof Error ? error.message : String(error))
  }
  if (!isObject(state) || state['format'] !== 1) throw problem('its format is not 1')
  const { world, clock, starts } = state
  if (!isObject(world) || !isObject(clock) || typeof starts !== 'number') throw problem('a part is missing')
  if (typeof world['seed'] !== 'string' || !isObject(world['counters'])) throw problem('a part is missing')
  for (const list of ['agents', 'applications', 'post_mortems', 'audit'])
    if (!Array.isArray(world[list])) throw problem(`${list} is missing`)
  return state as unknown as SavedState
}

/**
 * Keeps a file in step with the state. The returned function resolves when everything up to `version()` at the
 * time of its call is on disk; callers that come while a write is under way share the next one.
 */
export function createStateWriter(
  path: string,
  state: () => SavedState,
  version: () => number,
): () => Promise<void> {
  let saved = -1
  let writing: Promise<void> | undefined
  const write = async (): Promise<void> => {
    const writtenVersion = version()
    const temporary = `${path}.tmp`
    const text = JSON.stringify(state())
    const file = await open(temporary, 'w', 0o600)
    try {
      await file.writeFile(text)
      await file.datasync()
    } finally {
      await file.close()
    }
    await rename(temporary, path)
    saved = writtenVersion
  }
  return async () => {
    const wanted = version()
    while (saved < wanted) {
      writing ??= write().finally(() => {
        writing = undefined
      })
      await writing
    }
  }
}
