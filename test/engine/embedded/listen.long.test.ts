import { join } from 'node:path'
import { expect, it } from 'vitest'
import { type Child, startChild, startScript } from './support/child.ts'
import { createStage } from './support/stage.ts'

const count = 40
const text = `apiVersion: opsbook/v1
name: test
inputs: { type: object, required: [items], properties: { items: { type: array, items: { type: integer } } } }
steps:
  - id: each
    for-each: { items: "\${{ inputs.items }}", max-parallel: 4 }
    uses: core/listen
    with: { hook: ci, where: "\${{ event.n == item }}", timeout: 5m }
outputs: { ids: "\${{ steps.each.outputs.items.map(i, i.outputs.event_id) }}" }
`
const items = Array.from({ length: count }, (_, n) => n)
const ids = items.map((n) => `e${n}`)

it.each([
  [
    [0, 3, 3, 17],
    [5, 1],
  ],
  [
    [1, 20, 38],
    [0, 39, 12],
  ],
  [[39], [20, 20, 20]],
  [[5, 6, 7, 8, 9], []],
])(
  'takes every recorded event once, whichever process is killed: run at %j, sender at %j',
  async (runKills, senderKills) => {
    const { dataDir, rows } = createStage()
    const callsFile = join(dataDir, 'calls.txt')
    const first = startChild({ dataDir, callsFile, text, inputs: { items } })
    const { run_id } = await first.line(({ type }) => type === 'run_started')
    const runId = String(run_id)

    const send = async (): Promise<void> => {
      const job = { dataDir, hook: 'ci', count }
      // What was recorded is sent again, and is the same event.
      for (const after of senderKills) {
        const sender = startScript('send-events', job)
        await sender.line(({ type, n }) => type === 'recorded' && n === after)
        await sender.kill()
      }
      await startScript('send-events', job).ended
    }
    const run = async (): Promise<Child> => {
      let child = first
      for (const path of runKills.map((n) => `each[${n}]`)) {
        const isThere = (line: { readonly [name: string]: unknown }): boolean =>
          (line['type'] === 'item_finished' && line['path'] === path) || line['type'] === 'report'
        await child.line(isThere)
        await child.kill()
        child = startChild({ dataDir, callsFile, runId, isAutomatic: true })
      }
      return child
    }
    const [child] = await Promise.all([run(), send()])
    const report = await child.line(({ type }) => type === 'report' || type === 'refused')
    await child.ended
    // A run that had ended when its process was killed is not resumed.
    if (report['type'] === 'report') expect(report).toMatchObject({ status: 'succeeded', outputs: { ids } })
    expect(rows(`SELECT status, outputs FROM runs`)).toEqual([
      { status: 'succeeded', outputs: JSON.stringify({ ids }) },
    ])
    const taken = rows(
      "SELECT id, path FROM taken_events JOIN received_events ON event = seq WHERE hook = 'ci' ORDER BY seq",
    )
    expect(taken).toEqual(items.map((n) => ({ id: `e${n}`, path: `each[${n}]` })))
  },
  120_000,
)
