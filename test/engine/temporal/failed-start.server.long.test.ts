import { createActions } from 'opsbook'
import { expect, inject, test } from 'vitest'
import { startWorker, type WorkerOptions } from '../../../src/engine/temporal/worker/start-worker.ts'
import { newFolder } from '../../cli/support/opsbook.ts'
import { openWay } from './support/open-way.ts'

const failures: readonly { what: string; options: Partial<WorkerOptions>; said: RegExp }[] = [
  { what: 'its namespace is not there', options: { namespace: 'nowhere' }, said: /no namespace "nowhere"/ },
  {
    what: 'the worker of its runs cannot be made',
    options: { deployment: { name: '', buildId: '' } },
    said: /non-empty build_id/,
  },
  {
    what: 'the worker of its calls cannot be made',
    options: { actions: [null as never] },
    said: /null/,
  },
]

test.each(failures)(
  'a worker that does not start, since $what, leaves no connection behind',
  async ({ options, said }) => {
    const way = await openWay(inject('temporalAddress'))
    const started = startWorker({
      address: way.address,
      namespace: 'default',
      taskQueue: `test-failed-start-${process.pid}`,
      actions: createActions([]),
      connect: () => {
        throw new Error('nothing is called')
      },
      checkInputs: (_, given) => ({ inputs: given, problems: [] }) as never,
      dataDir: await newFolder(),
      ...options,
    } as WorkerOptions)
    await expect(started).rejects.toThrow(said)
    await expect.poll(way.connections).toBe(0)
  },
)
