import { setTimeout as sleep } from 'node:timers/promises'
import { cancelled } from '../../../api/cancelled.ts'
import { createTargetLocks, type TargetLocks } from '../../../api/index.ts'
import { steadyNow } from '../../../api/waits.ts'
import type { LimiterPort } from './limiter-port.ts'
import {
  type TargetAnswer,
  type TargetNews,
  type TargetOrder,
  targetNewsUpdate,
  targetsUpdate,
} from './messages.ts'

/** The targets that this process shares with others. */
export interface SharedTargetLocks extends TargetLocks {
  close(): Promise<void>
}

/** What is free again is told so soon. */
const freeSoonMs = 20
/** How often the keeper hears that this process lives while it has something. */
const renewMs = 3000
/** How long closing may take. */
const patienceMs = 1000
/** Having all targets is given up when none was used for so long. */
const idleMs = 5000

/**
 * The target locks of all processes that ask one keeper. Within the process calls wait for each other as they do without
 * one. A process that is alone has all targets and asks nobody.
 */
export function createSharedTargetLocks(port: LimiterPort, process: string): SharedTargetLocks {
  const own = createTargetLocks()
  const closing = new AbortController()
  /** Targets in use. */
  const held = new Set<string>()
  const waiters = new Map<string, () => void>()
  let [take, free] = [new Set<string>(), new Set<string>()]
  /** What the last order gives back. */
  let freeing = new Set<string>()
  /** What was given back since news were asked for: that it is granted may have been said before. */
  let doubtful = new Set<string>()
  let ownsAllUntilMs = 0
  let usedMs = 0
  let isYielding = false
  let isAsking = false
  let isListening = false
  let due: NodeJS.Timeout | undefined

  const ownsAll = (): boolean => !isYielding && steadyNow() < ownsAllUntilMs
  const sync = async (): Promise<void> => {
    clearTimeout(due)
    due = undefined
    if (isAsking || closing.signal.aborted) return
    isAsking = true
    const askedMs = steadyNow()
    const yields = ownsAllUntilMs > 0 && (isYielding || isIdle(askedMs))
    if (yields) ownsAllUntilMs = 0
    const order: TargetOrder = {
      process,
      take: [...take],
      free: [...free],
      held: [...held],
      ...(yields ? { yields: [...held] } : {}),
    }
    for (const target of free) doubtful.add(target)
    ;[freeing, take, free] = [free, new Set(), new Set()]
    isYielding = false
    try {
      const { granted, ownsAll, leaseMs } = await port.ask<TargetAnswer>(targetsUpdate, order, closing.signal)
      ownsAllUntilMs = ownsAll ? askedMs + leaseMs : 0
      grant(granted)
      if (ownsAll) grant([...waiters.keys()])
    } catch {
      // Only what is closed stops asking.
    } finally {
      isAsking = false
      if (ownsAllUntilMs > 0 || waiters.size > 0) void listen()
      if (take.size > 0 || isYielding) void sync()
      else schedule(free.size > 0 && ownsAllUntilMs === 0 ? freeSoonMs : renewMs)
    }
  }
  const isIdle = (now: number): boolean => held.size + waiters.size === 0 && now - usedMs > idleMs
  /** Says by then at the latest that this process lives, as long as it has anything. */
  const schedule = (inMs: number): void => {
    if (held.size + waiters.size + free.size === 0 && ownsAllUntilMs === 0) return
    if (due && inMs >= renewMs) return
    clearTimeout(due)
    due = setTimeout(() => void sync(), inMs).unref()
  }
  /** Hears at once what others do. */
  const listen = async (): Promise<void> => {
    if (isListening || closing.signal.aborted) return
    isListening = true
    doubtful = new Set(isAsking ? freeing : [])
    try {
      const news = await port.ask<TargetNews>(targetNewsUpdate, { process }, closing.signal)
      grant(news.granted.filter((target) => !doubtful.has(target)))
      // Orders are answered one after the other: to ask again is to know.
      const unsure = news.granted.filter((target) => doubtful.has(target) && waiters.has(target))
      for (const target of unsure) take.add(target)
      if (unsure.length > 0) void sync()
      if (news.yield) {
        isYielding = true
        void sync()
      }
    } catch {
      // As above.
    } finally {
      isListening = false
      if (!isYielding && waiters.size > 0) void listen()
    }
  }
  const grant = (targets: readonly string[]): void => {
    for (const target of targets) {
      const waiter = waiters.get(target)
      if (waiter) waiter()
      // Nobody wants it any more.
      else if (!held.has(target)) release(target)
    }
  }
  const hold = (target: string): void => {
    // A wait that was given up may have left it to be given back.
    free.delete(target)
    held.add(target)
  }
  const release = (target: string): void => {
    held.delete(target)
    usedMs = steadyNow()
    if (ownsAll()) return
    take.delete(target)
    free.add(target)
    schedule(freeSoonMs)
  }
  const waitFor = (target: string, signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(cancelled(signal, false))
      const end = (): void => {
        waiters.delete(target)
        signal?.removeEventListener('abort', cancel)
      }
      const cancel = (): void => {
        end()
        release(target)
        reject(cancelled(signal, false))
      }
      signal?.addEventListener('abort', cancel, { once: true })
      waiters.set(target, () => {
        end()
        hold(target)
        resolve()
      })
      take.add(target)
      queueMicrotask(() => void sync())
    })

  return {
    async acquire(key, options = {}) {
      const freeOwn = await own.acquire(key, options)
      if (ownsAll()) hold(key)
      else {
        try {
          await waitForTold(key, options.signal, options.onWait)
        } catch (error) {
          freeOwn()
          throw error
        }
      }
      return () => {
        release(key)
        freeOwn()
      }
    },
    async close() {
      closing.abort()
      clearTimeout(due)
      const left = [...held, ...waiters.keys(), ...free]
      if (left.length === 0 && ownsAllUntilMs === 0) return
      const order: TargetOrder = { process, take: [], free: left, yields: [] }
      // Where nobody answers any more, the lease runs out by itself.
      const said = port.ask(targetsUpdate, order, closing.signal).catch(() => {})
      await Promise.race([said, sleep(patienceMs, undefined, { ref: false })])
    },
  }

  async function waitForTold(
    target: string,
    signal: AbortSignal | undefined,
    onWait: (() => void) | undefined,
  ): Promise<void> {
    const telling = setTimeout(() => onWait?.(), untoldMs)
    try {
      await waitFor(target, signal)
    } finally {
      clearTimeout(telling)
    }
  }
}

/** A shorter wait for the keeper's answer is not told. */
const untoldMs = 200
