import { RunbookError } from '../../core/run-error.ts'

/** Bytes on their way here, and how they ended. */
export interface Reception {
  /** Ends without an error, whatever happens to the source. Leaving early cancels the source. */
  readonly chunks: AsyncIterable<Uint8Array>
  /** How many bytes have come. */
  readonly bytes: number
  /** To be asked at the end. Throws the source's error where nothing had come yet, and `Cancelled`. */
  end(): ReceptionEnd
}

export interface ReceptionEnd {
  /** The source failed in the middle. */
  readonly isCutOff: boolean
  readonly cause: unknown
}

/** Receives a source until its end, its failure, or the abort of the signal: that cancels it even while it waits. */
export function receive(source: AsyncIterable<Uint8Array>, signal: AbortSignal | undefined): Reception {
  let bytes = 0
  let failure: { readonly error: unknown } | undefined

  async function* read(): AsyncGenerator<Uint8Array> {
    const iterator = source[Symbol.asyncIterator]()
    let isOver = false
    try {
      while (true) {
        const step = await nextUnlessAborted(iterator, signal)
        isOver = step.done === true
        if (step.done) return
        bytes += step.value.length
        yield step.value
      }
    } catch (error) {
      isOver = signal?.aborted !== true
      failure = { error }
    } finally {
      if (!isOver) await cancel(iterator, signal)
    }
  }

  return {
    chunks: read(),
    get bytes() {
      return bytes
    },
    end() {
      if (failure && (bytes === 0 || isCancelled(failure.error))) throw failure.error
      return { isCutOff: failure !== undefined, cause: failure?.error }
    },
  }
}

function nextUnlessAborted<T>(
  iterator: AsyncIterator<T>,
  signal: AbortSignal | undefined,
): Promise<IteratorResult<T>> {
  if (!signal) return iterator.next()
  return new Promise((resolve, reject) => {
    const stop = (): void =>
      reject(new RunbookError('Cancelled', 'the export was cancelled', { cause: signal.reason }))
    if (signal.aborted) return stop()
    signal.addEventListener('abort', stop, { once: true })
    iterator
      .next()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', stop))
  })
}

/** A source that waits answers only when it has something, so after an abort nobody waits for it. */
async function cancel(iterator: AsyncIterator<unknown>, signal: AbortSignal | undefined): Promise<void> {
  const over = iterator.return?.()
  if (signal?.aborted) over?.catch(() => {})
  else await over
}

function isCancelled(error: unknown): boolean {
  return RunbookError.is(error) && error.code === 'Cancelled'
}
