import { join } from 'node:path'
import { expect, it } from 'vitest'
import { callsIn, startChild } from './support/child.ts'
import { createStage } from './support/stage.ts'

const text = `apiVersion: opsbook/v1
name: test
steps:
  - id: rounds
    repeat:
      with: { name: a }
      next: { name: "\${{ turn.name + 'x' }}" }
      until: \${{ turn.index == 3 }}
      at-most: 9
      interval: 10ms
      collect: \${{ steps.make.outputs.name }}
    steps:
      - { id: look, uses: note/read, with: { name: "look \${{ turn.name }}" } }
      - { id: make, uses: note/make, with: { name: "\${{ turn.name }}" } }
      - { id: put, uses: note/put, with: { name: "put \${{ turn.name }}" } }
      - { id: rest, uses: core/wait, with: { for: 30ms } }
    outputs: { all: "\${{ outputs.items.join(' ') }}" }
outputs: { all: "\${{ steps.rounds.outputs.all }}" }
`

it('a block that is repeated is killed in several turns, and loses and repeats nothing that was done', async () => {
  const { dataDir } = createStage()
  const callsFile = join(dataDir, 'calls.txt')
  const first = startChild({ dataDir, callsFile, text, hangs: ['look ax'] })
  const { run_id: runId } = await first.line(({ type }) => type === 'run_started')
  await first.line(({ type, name }) => type === 'called' && name === 'look ax')
  await first.kill()
  for (const name of ['put ax', 'look axx']) {
    const next = startChild({ dataDir, callsFile, runId: String(runId), hangs: [name] })
    await next.line((line) => line['type'] === 'called' && line['name'] === name)
    await next.kill()
  }
  const last = startChild({ dataDir, callsFile, runId: String(runId), hangs: [] })
  const report = await last.line(({ type }) => type === 'report')
  expect(report).toMatchObject({ status: 'succeeded', outputs: { all: 'a ax axx axxx' } })
  const calls = callsIn(callsFile)
  expect(calls.filter((call) => call.startsWith('create'))).toEqual(
    ['a', 'ax', 'axx', 'axxx'].map((name) => `create ${name}`),
  )
  // Only what was in flight is made again.
  const others = calls
    .filter((call) => !call.startsWith('create'))
    .map((call) => call.split(' ').slice(1).join(' '))
  expect(others).toEqual([
    ...['look a', 'put a', 'look ax', 'look ax', 'put ax', 'put ax'],
    ...['look axx', 'look axx', 'put axx', 'look axxx', 'put axxx'],
  ])
})
