import { setMaxListeners } from 'node:events'

/** Several signals as one. */
export interface JoinedSignal {
  readonly signal: AbortSignal | undefined
  /** Lets go of the signals; to be called once nobody listens any more. */
  release(): void
}

/**
 * One signal that is aborted with the first of these. `AbortSignal.any` would do, but what it makes stays with a
 * signal that lives as long as the program.
 */
export function joinSignals(...signals: readonly (AbortSignal | undefined)[]): JoinedSignal {
  const given = signals.filter((signal) => signal !== undefined)
  // One signal for a hundred calls is no leak, which Node would warn of from the eleventh on.
  for (const signal of given) setMaxListeners(0, signal)
  const [first] = given
  if (given.length < 2) return { signal: first, release() {} }
  const joined = new AbortController()
  const listeners = given.map((signal) => {
    const pass = (): void => joined.abort(signal.reason)
    if (signal.aborted) pass()
    signal.addEventListener('abort', pass, { once: true })
    return () => signal.removeEventListener('abort', pass)
  })
  return {
    signal: joined.signal,
    release() {
      for (const remove of listeners) remove()
    },
  }
}
