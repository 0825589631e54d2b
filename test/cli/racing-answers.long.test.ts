import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { openDesk } from './support/desk.ts'

const asks = `apiVersion: opsbook/v1
name: asks
steps: [{ id: ok, uses: core/approve, with: { message: Go? } }]
`
const program = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url))

it('two processes answer at the same time: one counts, and the other names it', async () => {
  const { folder, document, interrupted } = await openDesk({ 'asks.yaml': asks })
  await interrupted('run', 'asks.yaml')
  const [{ run_id, shown }] = (await document('inbox')).waiting
  const answer = async (verb: string): Promise<{ readonly code: number; readonly text: string }> => {
    const words = [verb, run_id, 'ok', '--shown', shown, '--data-dir', join(folder, 'data')]
    const child = spawn(process.execPath, ['--import', 'tsx', program, ...words], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let text = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += String(chunk)))
    const [code] = await once(child, 'close')
    return { code, text }
  }
  const told = await Promise.all(['approve', 'reject', 'approve', 'reject'].map(answer))
  expect(told.map(({ code }) => code).toSorted()).toEqual([0, 2, 2, 2])
  for (const { text } of told.filter(({ code }) => code === 2))
    expect(text).toMatch(/ok of run_\S+ was (approved|rejected) by \S+ at 20/)
  expect((await document('show', 'latest')).questions).toMatchObject([{ status: 'answered', answers: [{}] }])
})
