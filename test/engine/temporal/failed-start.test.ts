import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { createActions } from 'opsbook'
import { expect, inject, onTestFinished, test } from 'vitest'
import { startWorker, type WorkerOptions } from '../../../src/engine/temporal/worker/start-worker.ts'
import { newFolder } from '../../cli/support/opsbook.ts'

/** A way to the server of all tests, and how many connections go through it. */
async function openWay(): Promise<{ address: string; connections(): number }> {
  const [host = '', port = ''] = inject('temporalAddress').split(':')
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    const other = connect(Number(port), host)
    open.add(socket)
    for (const [one, another] of [
      [socket, other],
      [other, socket],
    ] as const) {
      one.pipe(another)
      one.on('error', () => {}).on('close', () => another.destroy())
    }
    socket.on('close', () => open.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of open) socket.destroy()
    server.close()
  })
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => open.size,
  }
}

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
    const way = await openWay()
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
    await expect.poll(way.connections, { timeout: 5_000 }).toBe(0)
  },
)
