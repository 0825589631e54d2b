import { type ClientOptions, createClient, RunbookError } from 'opsbook/api'
import { describe, expect, it } from 'vitest'
import { startStandIn } from './stand-in.ts'

const good = { baseUrl: 'https://api.example.com', appKey: 'key-1', proxy: 'none' }

const wrong: readonly (readonly [options: object, path: string, message: string])[] = [
  [{ baseUrl: undefined }, 'baseUrl', 'is missing'],
  [{ baseUrl: '' }, 'baseUrl', 'is missing'],
  [{ baseUrl: 'api.example.com' }, 'baseUrl', 'absolute http or https'],
  [{ baseUrl: 'ftp://api.example.com' }, 'baseUrl', 'absolute http or https'],
  [{ baseUrl: 'http:api.example.com' }, 'baseUrl', 'absolute http or https'],
  [{ baseUrl: 'http://' }, 'baseUrl', 'absolute http or https'],
  [{ baseUrl: 'https://hidden:word@api.example.com' }, 'baseUrl', 'must not hold credentials'],
  [{ baseUrl: 'https://api.example.com?app_key=hidden' }, 'baseUrl', 'must not have a query'],
  [{ baseUrl: 'https://api.example.com#hidden' }, 'baseUrl', 'must not have a query'],
  [{ baseUrl: 'https://api.example.com/a b' }, 'baseUrl', 'white space'],
  [{ appKey: 'hidden word' }, 'appKey', 'white space'],
  [{ appKey: 'hidden\n' }, 'appKey', 'line breaks'],
  [{ appKey: 'hidden\u0000' }, 'appKey', 'control characters'],
  [{ appKey: '\ud800' }, 'appKey', 'control characters'],
  [{ appKey: 5 }, 'appKey', 'must be text'],
  [{ apKey: 'hidden' }, 'apKey', 'did you mean "appKey"?'],
  [{ account: '' }, 'account', 'not empty'],
  [{ maxWaitMs: -1 }, 'maxWaitMs', 'whole number from 0'],
  [{ maxWaitMs: Number.NaN }, 'maxWaitMs', 'whole number from 0'],
  [{ maxAnswerBytes: 0 }, 'maxAnswerBytes', 'whole number from 1'],
  [{ concurrency: 1.5 }, 'concurrency', 'whole number from 1'],
  [{ acceptLanguage: 'de\r\nx: y' }, 'acceptLanguage', 'language range'],
  [{ proxy: 'nonsense' }, 'proxy', 'URL of a proxy'],
  [{ proxy: 'ftp://hidden@proxy' }, 'proxy', 'URL of a proxy'],
  [{ proxy: 'socks5://hidden@proxy:1080' }, 'proxy', 'URL of a proxy'],
  [{ proxy: 'http://me:hidden@4/x@proxy:1' }, 'proxy', 'URL of a proxy'],
  [{ proxy: 'http://proxy:3128?hidden' }, 'proxy', 'URL of a proxy'],
  [{ proxy: 'http://user:hidden100%@proxy' }, 'proxy', '%25'],
  [{ proxy: 'http://hidden%ff@proxy' }, 'proxy', '%25'],
  [{ logger: {} }, 'logger', 'debug, warn'],
  [{ budget: {} }, 'budget', 'acquire, pause'],
  [{ targetLocks: 'x' }, 'targetLocks', 'acquire'],
  [{ retry: 3 }, 'retry', 'must be an object'],
  [{ retry: { attempts: 0 } }, 'retry', 'attempts must be'],
  [{ retry: { delayMs: -1 } }, 'retry', 'delayMs must be'],
  [{ retry: { errors: 'x' } }, 'retry', 'lists of error codes'],
  [{ retry: { jitter: 2 } }, 'retry', 'jitter must be a number from 0 to 1'],
  [{ retry: { attempt: 2 } }, 'retry', 'did you mean "attempts"?'],
  [{ limits: 'none' }, 'limits', '"document", "off"'],
  [{ limits: { createAgents: 'off' } }, 'limits', 'did you mean "createAgent"?'],
  [{ limits: { createAgent: { perSecond: 0 } } }, 'limits', 'whole numbers'],
  [{ limits: { createAgent: { perHour: 1 } } }, 'limits', 'whole numbers'],
]

describe('the options of a client', () => {
  it.each(wrong)('are refused at once: %j', (options, path, message) => {
    const error = thrownBy({ ...good, ...options })
    expect(error).toMatchObject({ code: 'InvalidInput', notSent: true })
    expect(error.details).toEqual({ problems: [{ path, message: expect.stringContaining(message) }] })
    expect(error.message).not.toContain('hidden')
  })

  it.each([{}, { appKey: '' }, { appKey: undefined }])('lack the key: %j', (options) => {
    expect(thrownBy({ baseUrl: good.baseUrl, ...options })).toMatchObject({ code: 'MissingKey' })
  })

  it('are refused all together', () => {
    const error = thrownBy({ baseUrl: 'x', appKey: 'a b', concurrency: 0 })
    expect(error.details).toMatchObject({
      problems: [{ path: 'baseUrl' }, { path: 'appKey' }, { path: 'concurrency' }],
    })
    expect(thrownBy(undefined)).toMatchObject({ code: 'InvalidInput' })
  })

  it.each([
    { baseUrl: 'http://[::1]:8080/base/' },
    { baseUrl: 'HTTPS://API.example.com' },
    { appKey: 'schlüssel&=+/%' },
    { limits: { createAgent: 'off', invokeTools: { perSecond: 1 } } },
    { retry: { attempts: 5, jitter: 0.5, errors: ['InternalError'], except: [] } },
    { proxy: 'http://user:word@proxy.example.com:8080' },
    { proxy: 'http://user:100%25@proxy.example.com:8080' },
  ])('are accepted: %j', (options) => {
    expect(() => createClient({ ...good, ...options } as ClientOptions)).not.toThrow()
  })

  it('may hold a key of any characters', async () => {
    const service = await startStandIn(() => ({ items: [] }))
    const appKey = 'schlüssel&app_key=other#?%41'
    await service.client({ appKey }).listIngestionRules({ application_id: 'a' })
    const query = new URL(service.received[0]?.url ?? '', service.baseUrl).searchParams
    expect(query.getAll('app_key')).toEqual([appKey])
  })

  function thrownBy(options: unknown): RunbookError {
    try {
      createClient(options as ClientOptions)
    } catch (error) {
      if (RunbookError.is(error)) return error
      throw error
    }
    throw new Error('accepted')
  }
})
