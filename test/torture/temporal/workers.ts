import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../../fuzz/random.ts'
import { startWorkerProcess, type WorkerProcess } from './worker-process.ts'

/** As many workers as there were at first, however often one of them is ended. */
export interface Workers {
  /** Ends one of them by a signal; another one is started in its place at once. */
  strike(signal: 'SIGKILL' | 'SIGTERM', random: Random): void
  /** Whether all of them take work, at the latest after a minute. */
  ready(): Promise<boolean>
  /** What those said that ended though nobody had ended them, and though they had been ready. */
  readonly deserted: string[]
  close(): Promise<void>
}

/** As somebody who watches over them would: a worker that has ended is replaced. */
const restartMs = 200
const patienceMs = 60_000

/** Starts so many workers. */
export function startWorkers(count: number, env: Readonly<Record<string, string>>): Workers {
  const places: WorkerProcess[] = []
  const alive = new Set<WorkerProcess>()
  const struck = new WeakSet<WorkerProcess>()
  const deserted: string[] = []
  let isOver = false
  const fill = (place: number): void => {
    const worker = startWorkerProcess(env)
    places[place] = worker
    alive.add(worker)
    void worker.ended.then(async (stderr) => {
      alive.delete(worker)
      if (isOver || struck.has(worker)) return
      // Without a server it cannot start; with one it never ends by itself.
      if (worker.isReady()) deserted.push(stderr)
      await sleep(restartMs)
      if (!isOver) fill(place)
    })
  }
  for (let place = 0; place < count; place++) fill(place)
  return {
    deserted,
    strike(signal, random) {
      const place = random.below(count)
      const worker = places[place] as WorkerProcess
      struck.add(worker)
      worker.kill(signal)
      fill(place)
    },
    async ready() {
      const endMs = Date.now() + patienceMs
      while (!places.every((worker) => worker.isReady())) {
        if (Date.now() > endMs) return false
        await Promise.race([...places.map((worker) => worker.ready), sleep(restartMs)])
        await sleep(20)
      }
      return true
    },
    async close() {
      isOver = true
      for (const worker of alive) worker.kill('SIGKILL')
      await Promise.all([...alive].map((worker) => worker.ended))
    },
  }
}
