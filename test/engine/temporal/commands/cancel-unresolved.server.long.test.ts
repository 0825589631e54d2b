/** A run that needs a decision can be cancelled, on both engines, and its unknown outcome stays in its record. */
import { describe, expect, it } from 'vitest'
import { enginesOfFile } from './open-engines.ts'

const files = {
  'lost.yaml': `apiVersion: opsbook/v1
name: lost
steps:
  - { id: lost, uses: core/command, with: { script: 'kill -9 $PPID' } }
finally:
  - { id: clean, uses: core/log, with: { message: cleaned } }
`,
  'failed.yaml': `apiVersion: opsbook/v1
name: failed
steps:
  - { id: bad, uses: core/assert, with: { that: [false] } }
finally:
  - { id: lost, uses: core/command, with: { script: 'kill -9 $PPID' } }
`,
}

const engines = enginesOfFile(files, { more: 'commands: { local: true }\n' })

describe.each(['embedded', 'temporal'] as const)('%s', (kind) => {
  const on = (...words: readonly string[]) => engines[kind](words)
  const begin = async (): Promise<string> => {
    const { code, stdout } = await on('run', 'lost.yaml', '-o', 'json')
    expect(code).toBe(4)
    return JSON.parse(stdout).run_id
  }
  const show = async (id: string) => JSON.parse((await on('show', id, '-o', 'json')).stdout)

  it.each([
    [[], 'succeeded'],
    [['--now'], 'pending'],
  ])('cancel %j', async (flags, clean) => {
    const id = await begin()
    const [lost] = (await show(id)).unknown_outcomes
    const { code, stderr } = await on('cancel', id, ...flags)
    expect({ code, stderr }).toMatchObject({ code: 0 })
    const { status, steps, unknown_outcomes } = await show(id)
    // The reason is not that its process has ended: it answered.
    expect(lost.error).toMatchObject({ code: 'ConnectionLost' })
    expect(unknown_outcomes).toEqual([lost])
    const statuses = steps.map((step: { path: string; status: string }) => [step.path, step.status])
    expect({ status, statuses }).toEqual({
      status: 'cancelled',
      statuses: [
        ['lost', 'cancelled'],
        ['clean', clean],
      ],
    })
    expect((await on('show', id)).stdout).toContain('lost: its outcome stays unknown: the run was cancelled')
    expect((await on('cancel', id)).stderr).toContain('has ended: it was cancelled')
  })

  it('cancel during the clean-up of a run that failed', async () => {
    const { stdout } = await on('run', 'failed.yaml', '-o', 'json')
    const id = JSON.parse(stdout).run_id
    const cancelled = await on('cancel', id)
    expect(cancelled.code).toBe(1)
    expect(cancelled.stdout).toContain('lost: its outcome stays unknown: the run was cancelled')
    expect(cancelled.stdout).toContain(`opsbook decide ${id} lost --as failed`)
    expect((await on('resume', id)).code).toBe(4)
    expect((await on('decide', id, 'lost', '--as', 'succeeded', '--outputs', '{}', '--no-resume')).code).toBe(
      0,
    )
  })

  it('cancel after a decision that no resume has used', async () => {
    const id = await begin()
    expect((await on('decide', id, 'lost', '--as', 'retry', '--no-resume')).code).toBe(0)
    expect((await on('cancel', id)).code).toBe(0)
    const { status } = await show(id)
    expect(status).toBe('cancelled')
    expect((await on('show', id)).stdout).not.toContain('stays unknown')
  })
})
