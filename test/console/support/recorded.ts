import { join } from 'node:path'
import { expect } from 'vitest'
import { openDatabase } from '../../../src/engine/embedded/database/database.ts'
import { openDesk } from '../../cli/support/desk.ts'
import type { CommandResult } from '../../cli/support/opsbook.ts'

const loop = `apiVersion: opsbook/v1
name: loop
title: Look at hosts
labels: { team: shop }
inputs: { type: object, properties: { word: { type: string, writeOnly: true, default: sesame42 } } }
triggers: [{ type: schedule, every: 1h, timezone: UTC }]
steps:
  - id: hosts
    for-each: { items: [web-01, web-02, web-03], as: host, tolerate: all }
    steps:
      - { id: check, uses: core/assert, with: { that: ["\${{ host != 'web-02' }}"], message: "not \${{ inputs.word }}" } }
  - { id: tell, uses: core/log, with: { message: "done with \${{ inputs.word }}" } }
`
const create = `apiVersion: opsbook/v1
name: create
steps:
  - { id: make, uses: rum/application/create, with: { application_name: shop, type: browser, team_id: 1 } }
`
const ask = `apiVersion: opsbook/v1
name: ask
steps:
  - id: hosts
    for-each: { items: [web-01, web-02], as: host, max-parallel: 2 }
    steps: [{ id: ok, uses: core/approve, with: { message: "Restart \${{ host }}?" } }]
  - id: which
    uses: core/ask
    with: { message: Which?, answer: { type: object, required: [size], properties: { size: { type: integer, maximum: 5 } } } }
`

/** A folder with runbooks, and the runs of them that its data directory holds. */
export interface Recorded {
  readonly folder: string
  readonly dataDir: string
  command(...words: readonly string[]): Promise<CommandResult>
  /** The document of a command. */
  // biome-ignore lint/suspicious/noExplicitAny: each command has another.
  document(...words: readonly string[]): Promise<any>
  /** Starts \`ask\`, and resolves once its questions wait. */
  asking(): Promise<{ readonly ended: Promise<CommandResult>; interrupt(): Promise<CommandResult> }>
}

/** Records a run with failed items, and one with an unknown outcome. `lost`: how many creates of it get no answer. */
export async function record({ lost = 1 }: { readonly lost?: number } = {}): Promise<Recorded> {
  const runbooks = { loop, create, ask, broken: 'apiVersion: opsbook/v1\nname: broken\nsteps: [{ id: x }]\n' }
  const { service, folder, command, document, asking } = await openDesk(
    Object.fromEntries(Object.entries(runbooks).map(([name, text]) => [`runbooks/${name}.yaml`, text])),
  )
  await command('run', 'loop', '-q')
  await service.fault({ operation: 'E2', times: lost, close_after: true })
  await command('run', 'create', '-q')
  const dataDir = join(folder, 'data')
  return {
    folder,
    dataDir,
    command,
    document,
    async asking() {
      const { ended, signal } = await asking(['run', 'ask'], 2)
      // What is printed is on record up to 100 ms later.
      await expect.poll(() => countWaiting(dataDir)).toBe(2)
      return {
        ended,
        interrupt() {
          signal('SIGTERM')
          return ended
        },
      }
    },
  }
}

/** How many questions of runs wait, as the recorded events say. */
function countWaiting(dataDir: string): unknown {
  const database = openDatabase(dataDir)
  try {
    const rows = database.prepare('SELECT events FROM events').all()
    const events = rows.flatMap((row) => JSON.parse(String(row['events'])) as readonly { type: string }[])
    return events.filter(({ type }) => type === 'waiting').length
  } finally {
    database.close()
  }
}
