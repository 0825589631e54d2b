import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { createHashOrderTaker, type HashOrder, type TakeHashOrder } from './hash-orders.ts'

/** Computes the SHA-256 of a file from its blocks, given in order. */
export interface BlockHasher {
  /** Resolves once the block is not needed any more. It may be needed until the digest is asked for. */
  update(block: Uint8Array): Promise<unknown>
  /** To be asked for after the last block. */
  digest(): Promise<string>
  /** Ends what was begun; to be called whatever happened. */
  close(): Promise<unknown>
}

/** An order that has not been carried out. */
interface PendingOrder {
  readonly order: HashOrder
  readonly resolve: (digest: string) => void
  readonly reject: (error: unknown) => void
}

/**
 * Hashes blocks of one shared memory in a thread of its own: nothing else that is done with a long record takes as
 * long. So many blocks wait for the end first: a short record is hashed here, and pays for no thread.
 */
export function createBlockHasher(memory: SharedArrayBuffer, patience: number): BlockHasher {
  const pending: PendingOrder[] = []
  let takeHere: TakeHashOrder | undefined
  let thread: Worker | undefined
  let failure: unknown

  const answer = (digest: string): void => pending.shift()?.resolve(digest)

  const carryOutHere = (): void => {
    takeHere ??= createHashOrderTaker(memory)
    for (let next = pending[0]; next; next = pending[0]) answer(takeHere(next.order))
  }

  const refuse = (): void => {
    for (const { reject } of pending.splice(0)) reject(failure)
  }

  const startThread = (): void => {
    let isAtWork = false
    try {
      thread = createThread(memory)
    } catch {
      carryOutHere()
      return
    }
    thread.on('message', (digest: string) => {
      isAtWork = true
      answer(digest)
    })
    thread.on('error', (error) => {
      failure = error
    })
    thread.on('exit', () => {
      failure ??= new Error('the thread that hashes the record has ended early')
      // A thread that never came to work has touched nothing: threads can be forbidden, or its program not be there.
      if (isAtWork) refuse()
      else carryOutHere()
    })
    for (const { order } of pending) thread.postMessage(order)
  }

  const give = (order: HashOrder): Promise<string> =>
    new Promise((resolve, reject) => {
      pending.push({ order, resolve, reject })
      if (takeHere) carryOutHere()
      else if (failure) refuse()
      else if (thread) thread.postMessage(order)
      else if (order === 'digest') carryOutHere()
      else if (pending.length > patience) startThread()
    })

  return {
    update: ({ byteOffset, length }) => give({ start: byteOffset, end: byteOffset + length }),
    digest: () => give('digest'),
    async close() {
      pending.length = 0
      await thread?.terminate()
    },
  }
}

/** The program lies beside this file, in the source and in the build. */
function createThread(memory: SharedArrayBuffer): Worker {
  const { url } = import.meta
  return new Worker(new URL(`hash-worker${extname(url)}`, url), { workerData: memory })
}
