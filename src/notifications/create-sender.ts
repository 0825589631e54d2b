import type { Dispatcher } from 'undici'
import { noProxy } from '../api/http/index.ts'
import type { NoticeDraft } from '../engine/notices/index.ts'
import type { Sent } from './send-notice.ts'

/** What sending needs. */
export interface SenderOptions {
  /** Looks up the address of a reference, for each try. Rejects with the reason, which is recorded. */
  readonly resolve: (reference: string) => Promise<string>
  /**
   * How long one try may take, in milliseconds.
   * @default 10000
   */
  readonly timeLimitMs?: number
}

/** Makes tries to deliver messages, over connections of its own. */
export interface NoticeSender {
  /** One try. Never rejects. */
  send(notice: NoticeDraft, signal: AbortSignal): Promise<Sent>
  close(): Promise<void>
}

/** How many messages are in flight at a time. */
export const mostAtOnce = 8
export const usualTimeLimitMs = 10_000

export function createNoticeSender({ resolve, timeLimitMs = usualTimeLimitMs }: SenderOptions): NoticeSender {
  let dispatcher: Promise<Dispatcher> | undefined
  return {
    async send(notice, signal) {
      try {
        const url = await resolve(notice.target)
        const { sendNotice } = await import('./send-notice.ts')
        dispatcher ??= createDispatcher()
        const limited = AbortSignal.any([AbortSignal.timeout(timeLimitMs), signal])
        return await sendNotice(notice, url, await dispatcher, limited)
      } catch (error) {
        return { isDelivered: false, reason: (error as Error).message }
      }
    },
    async close() {
      await (await dispatcher)?.destroy()
    },
  }
}

/** Connections of its own: a target that hangs delays no other. */
async function createDispatcher(): Promise<Dispatcher> {
  const { EnvHttpProxyAgent } = await import('undici')
  return new EnvHttpProxyAgent({ connections: mostAtOnce, noProxy: noProxy() })
}
