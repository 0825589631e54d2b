import type { RateBudget } from 'opsbook/api'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createActions, createHttpConnection } from '../../src/actions/index.ts'
import { contextWith } from '../actions/context-with.ts'
import { startStandIn } from './stand-in.ts'

type Late =
  | 'in time'
  | 'over before it is used'
  | 'over before the announcement'
  | 'over when the connection is open'

/** Grants permits that are late in this way, one after another. */
function lateBudget(...lates: readonly Late[]) {
  const log: string[] = []
  const budget: RateBudget = {
    async acquire() {
      const number = log.filter((entry) => entry.startsWith('acquire')).length
      const late = lates[number] ?? 'in time'
      log.push(`acquire ${number}`)
      let looks = 0
      return {
        isOver: () =>
          late === 'over before it is used' || (late === 'over before the announcement' && ++looks > 1),
        sent() {
          log.push(`sent ${number}`)
          return late === 'in time'
        },
        done: () => void log.push(`done ${number}`),
        cancel: () => void log.push(`cancel ${number}`),
      }
    },
    pause: () => void log.push('pause'),
  }
  return { budget, log }
}

const lates = ['over before it is used', 'over when the connection is open', 'in time'] as const
/** The announcement of a create comes between the check of a permit and its use. */
const expected = [
  'acquire 0',
  'cancel 0',
  'acquire 1',
  'announced',
  'sent 1',
  'unsent',
  'cancel 1',
  'acquire 2',
  'announced',
  'sent 2',
  'done 2',
]

/** Logs each announcement, and that its request did not leave after all. */
function announceIn(log: string[]): (unsent?: AbortSignal) => Promise<void> {
  return async (unsent) => {
    log.push('announced')
    unsent?.addEventListener('abort', () => log.push('unsent'))
  }
}

const agent = { agent_name: 'a', instructions: 'b', card_url: 'https://agents.example.com/card.json' }

describe('a call that was held up for longer than its permit is valid', () => {
  it('takes another permit, and its request leaves once', async () => {
    const service = await startStandIn(() => ({ agent_id: 'x' }))
    const { budget, log } = lateBudget(...lates)
    const beforeSending = announceIn(log)
    await service.client({ budget }).attempt('createAgent', agent, { beforeSending })
    expect(service.received).toHaveLength(1)
    expect(log).toEqual(expected)
  })

  it('does so over a connection of type http, too', async () => {
    const service = await startStandIn(() => ({}))
    const { budget, log } = lateBudget(...lates)
    const { baseUrl } = service
    const connection = await createHttpConnection({ name: 'test', baseUrl, budget, limits: { perSecond: 1 } })
    onTestFinished(() => connection.close())
    const http = createActions().find(({ name }) => name === 'core/http')
    const beforeSending = announceIn(log)
    const context = contextWith({ connectHttp: async () => connection, beforeSending })
    await http?.run({ path: '/a', method: 'POST', body: 'x' }, context)
    expect(service.received).toHaveLength(1)
    expect(log).toEqual(expected)
  })

  it('tells its limiter that it was late, also before a create is announced', async () => {
    const service = await startStandIn(() => ({ agent_id: 'x' }))
    const { budget, log } = lateBudget('over before the announcement', 'in time')
    const beforeSending = announceIn(log)
    await service.client({ budget }).attempt('createAgent', agent, { beforeSending })
    expect(log).toEqual(['acquire 0', 'sent 0', 'cancel 0', 'acquire 1', 'announced', 'sent 1', 'done 1'])
  })

  it('gives up where no connection is ever open in time, and sends nothing', async () => {
    const service = await startStandIn(() => ({ agent_id: 'x' }))
    const { budget } = lateBudget(
      ...Array.from({ length: 20 }, () => 'over before the announcement' as const),
    )
    const call = service.client({ budget }).attempt('createAgent', agent, { beforeSending: async () => {} })
    await expect(call).rejects.toMatchObject({ code: 'ConnectTimeout', notSent: true })
    expect(service.received).toEqual([])
  })
})
