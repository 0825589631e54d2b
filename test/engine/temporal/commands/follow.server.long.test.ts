import { expect, onTestFinished, test } from 'vitest'
import type { CommandResult, RunningCommand } from '../../../cli/support/opsbook.ts'
import { enginesOfTest } from './open-engines.ts'

const files = {
  'one.yaml':
    'apiVersion: opsbook/v1\nname: one\nsteps: [{ id: one, uses: core/log, with: { message: done } }]\n',
}

test.each([['watch'], ['logs', '-f']])(
  '%s reports that no worker is running, and continues when there is one',
  async (...words) => {
    const engines = await enginesOfTest(files, { hasWorker: false })
    const id = (await engines.temporal(['start', 'one.yaml'])).stdout.trim()
    let worker: Promise<CommandResult> | undefined
    let stop = (): void => {}
    onTestFinished(async () => {
      stop()
      await worker
    })
    const work = (): Promise<CommandResult> =>
      engines.temporal(['worker', '--sandbox'], {
        onWrite(_, command: RunningCommand) {
          stop = () => command.signal('SIGTERM')
        },
      })
    const { code, stdout, stderr } = await engines.temporal([...words, id], {
      onWrite(text) {
        if (text.includes('no worker is running')) worker ??= work()
      },
    })
    expect({ code, stderr }).toMatchObject({ code: 0 })
    expect(stdout + stderr).toContain('one: done')
    expect(stderr.match(/no worker is running: .*; waiting for one/g)).toHaveLength(1)
  },
)
