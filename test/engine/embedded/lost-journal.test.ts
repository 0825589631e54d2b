import { RunbookError, type RunReport } from 'opsbook'
import { describe, expect, it } from 'vitest'
import { createStage, type Stage } from './support/stage.ts'

/** What the step that cannot be recorded would do about a failure of its own. */
const answersToFailure = {
  catch: 'catch: [{ errors: [all], steps: [{ id: fix, uses: note/make, with: { name: fix } }] }]',
  'continue-on-error': 'continue-on-error: true',
  'the tolerance of its loop': 'for-each: { items: [1, 2, 3], tolerate: all }',
} as const

/** The disk is full as soon as the outcome of that call is to be written. */
function fillDiskAt(stage: Stage, name: string): void {
  stage.answer = (call) => {
    if (call.name === name)
      stage.execute(
        `CREATE TRIGGER full BEFORE UPDATE ON attempts BEGIN SELECT RAISE(ABORT, 'disk is full'); END`,
      )
    return { name: call.name }
  }
}

it.each(Object.entries(answersToFailure))(
  'ends the run where the outcome of a read cannot be written: %s does not hide it',
  async (_, answer) => {
    const stage = createStage()
    fillDiskAt(stage, 'lost')
    const steps = `
  - { id: first, uses: note/make, with: { name: first } }
  - { id: lost, uses: note/read, with: { name: lost }, ${answer} }
  - { id: after, uses: note/make, with: { name: after } }
`
    const report = await stage.run(steps)
    expect(report).toMatchObject({ status: 'failed', error: { code: 'DataDirUnusable' } })
    expect(stage.calls).toEqual(['create first', 'read lost'])
    stage.execute('DROP TRIGGER full')
    stage.answer = ({ name }) => ({ name })
    expect(await stage.resume(report.run_id)).toMatchObject({ status: 'succeeded' })
    expect(stage.calls.filter((call) => call.startsWith('create'))).toEqual(['create first', 'create after'])
  },
)

describe('a run whose last step cannot be recorded', () => {
  const lost = [
    "INSERT ON events WHEN new.type = 'step_finished'",
    "INSERT ON events WHEN new.type = 'run_finished'",
    "UPDATE ON steps WHEN new.status <> 'running'",
  ] as const

  /** A last call. While it is made, the disk becomes full for the write that no caller waits for. */
  async function runToLoss(stage: Stage, write: string, answer: Stage['answer']): Promise<RunReport> {
    stage.answer = (call) => {
      stage.execute(`CREATE TRIGGER full BEFORE ${write} BEGIN SELECT RAISE(ABORT, 'disk is full'); END`)
      return answer(call)
    }
    return stage.run('  - { id: last, uses: note/make, with: { name: last } }\n')
  }

  it.each(lost)(
    'fails though all its steps succeeded, and is resumed without another call: %s',
    async (write) => {
      const stage = createStage()
      const report = await runToLoss(stage, write, ({ name }) => ({ name }))
      expect(report).toMatchObject({ status: 'failed', error: { code: 'DataDirUnusable' } })
      expect(stage.rows('SELECT status FROM runs')).toEqual([{ status: 'failed' }])
      stage.execute('DROP TRIGGER full')
      expect(await stage.resume(report.run_id)).toMatchObject({ status: 'succeeded' })
      expect(stage.calls).toEqual(['create last'])
    },
  )

  it.each(lost)('keeps the error of a step that failed: %s', async (write) => {
    const stage = createStage()
    const report = await runToLoss(stage, write, () => {
      throw new RunbookError('ActionFailed', 'the service is down', { notSent: true })
    })
    expect(report).toMatchObject({ status: 'failed', error: { message: 'the service is down' } })
  })
})
