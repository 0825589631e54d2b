import { inspect } from 'node:util'
import {
  type ActionContext,
  type ActionDefinition,
  defineAction,
  type JsonObject,
  RunbookError,
} from 'opsbook'
import { describe, expect, it } from 'vitest'
import {
  createActions,
  createRunSecrets,
  noSecrets,
  runWithSecrets,
  type SecretStore,
} from '../../src/actions/index.ts'
import { startStandIn } from '../api/stand-in.ts'
import { contextWith } from './context-with.ts'

const word = 'word-of-the-day'
const store: SecretStore = {
  resolve: async (name) => {
    if (name === 'word') return word
    throw new RunbookError('MissingSecret', `no "${name}"`, { notSent: true })
  },
}
const positions = [{ path: ['token'], name: 'word' }]

function actionThat(run: ActionDefinition<JsonObject, unknown>['run'], more: object = {}) {
  return defineAction<JsonObject>({
    name: 'acme/door/open',
    summary: 'Open a door',
    safety: 'read',
    input: { type: 'object', required: ['token'], properties: { token: { type: 'string' } } },
    output: { type: 'object' },
    sensitiveInput: ['token'],
    run,
    ...more,
  })
}

it('only the action receives the value', async () => {
  const given: unknown[] = []
  const action = actionThat((input) => void given.push(input))
  const input = { door: 'front' }
  await runWithSecrets(action, input, positions, createRunSecrets(store, []), contextWith())
  expect(given).toEqual([{ door: 'front', token: word }])
  expect(input).toEqual({ door: 'front' })
})

it('a step without secrets runs as it is, and reports its problems', async () => {
  const action = actionThat(({ token }) => ({ token }))
  const answer = await runWithSecrets(
    action,
    { token: word },
    [],
    createRunSecrets(noSecrets, []),
    contextWith(),
  )
  expect(answer.output).toEqual({ token: word })
  await expect(
    runWithSecrets(action, {}, [], createRunSecrets(noSecrets, []), contextWith()),
  ).rejects.toMatchObject({
    code: 'InvalidInput',
    notSent: true,
  })
})

it('a secret without a value ends the attempt before the action begins', async () => {
  let isBegun = false
  const action = actionThat(() => {
    isBegun = true
  })
  const missing = [{ path: ['token'], name: 'other' }]
  await expect(
    runWithSecrets(action, {}, missing, createRunSecrets(store, []), contextWith()),
  ).rejects.toMatchObject({
    code: 'MissingSecret',
    notSent: true,
  })
  expect(isBegun).toBe(false)
})

it('where nothing is configured, no secret has a value', async () => {
  const run = runWithSecrets(
    actionThat(() => ({})),
    {},
    positions,
    createRunSecrets(noSecrets, []),
    contextWith(),
  )
  await expect(run).rejects.toMatchObject({
    code: 'MissingSecret',
    message: expect.stringContaining('"word"'),
  })
})

const base64 = Buffer.from(word).toString('base64')
const leaks: Readonly<Record<string, ActionDefinition<JsonObject, unknown>['run']>> = {
  outputs: ({ token }) => ({
    said: `Bearer ${token}`,
    [`${token}`]: [encodeURIComponent(`${token}`), base64],
  }),
  'a log': ({ token }, { log }) => log.info(`token ${token}`, { token }),
  'a message': ({ token }) => {
    throw new Error(`refused: ${token}`)
  },
  details: ({ token }) => {
    throw new RunbookError('DoorLocked', 'no', { details: { token: token ?? null }, requestId: `r-${token}` })
  },
  'a cause': ({ token }) => {
    throw new Error('no', { cause: { token } })
  },
  'the reason that a cause gives': ({ token }) => {
    throw new Error('no', { cause: new Error(`refused: ${token}`) })
  },
}
it.each(Object.entries(leaks))('the value does not come back in %s', async (_, run) => {
  const logged: unknown[] = []
  const log: ActionContext['log'] = (...line) => logged.push(line)
  const came: unknown = await runWithSecrets(
    actionThat(run),
    {},
    positions,
    createRunSecrets(store, []),
    contextWith({ log }),
  ).catch((thrown: unknown) => thrown)
  const text = inspect([came, logged], { depth: 9 })
  expect(text).not.toContain(word)
  expect(text).not.toContain(base64)
  if (came instanceof Error)
    expect(came).toMatchObject({ code: expect.stringMatching(/ActionFailed|DoorLocked/) })
})

describe('a value of 4 to 7 characters', () => {
  const pin: SecretStore = { resolve: async (name) => ({ pin: '0815', code: 'rosé!' })[name] ?? 'none' }
  const both = [
    { path: ['token'], name: 'pin' },
    { path: ['code'], name: 'code' },
  ]
  const answers: readonly (readonly [about: string, output: JsonObject, kept: JsonObject])[] = [
    ['as a whole', { said: '0815' }, { said: '***' }],
    ['between other words', { said: 'pin=0815; ROSÉ!' }, { said: 'pin=***; ***' }],
    ['at the start of a line', { said: 'pin:\n0815\n' }, { said: 'pin:\n***\n' }],
    ['as a name', { '0815': 2 }, { '***': 2 }],
    ['in base64', { said: `Basic ${btoa('ada:0815')}` }, { said: expect.not.stringContaining('MDgxN') }],
    ['but not inside of words', { said: 'x0815 08151 0815_ rosé' }, { said: 'x0815 08151 0815_ rosé' }],
  ]
  it.each(answers)('is hidden %s', async (_, output, kept) => {
    const action = actionThat(() => output)
    expect(await runWithSecrets(action, {}, both, createRunSecrets(pin, []), contextWith())).toMatchObject({
      output: kept,
    })
  })

  it('is hidden where it is a number', async () => {
    const store: SecretStore = { resolve: async () => '4711' }
    const action = actionThat(() => ({ pin: 4711, other: 47110, list: [4711] }))
    expect(
      await runWithSecrets(action, {}, positions, createRunSecrets(store, []), contextWith()),
    ).toMatchObject({
      output: { pin: '***', other: 47110, list: ['***'] },
    })
  })
})

it('a value of fewer than 4 characters is refused before the action begins, and by what looks for it before', async () => {
  let isBegun = false
  const action = actionThat(() => {
    isBegun = true
  })
  const short: SecretStore = { resolve: async () => 'abc' }
  const refusal = { code: 'MissingSecret', notSent: true, message: expect.not.stringContaining('abc') }
  await expect(
    runWithSecrets(action, {}, positions, createRunSecrets(short, []), contextWith()),
  ).rejects.toMatchObject(refusal)
  expect(isBegun).toBe(false)
})

it('of two values of which one is a part of the other nothing is left', async () => {
  const two: SecretStore = { resolve: async (name) => (name === 'whole' ? 'winter-garden-9' : 'winter-g') }
  const at = ['part', 'whole'].map((name) => ({ path: [name], name }))
  const action = actionThat((input) => ({ said: [input['part'] ?? null, input['whole'] ?? null] }))
  expect(
    await runWithSecrets(action, { token: 'x' }, at, createRunSecrets(two, []), contextWith()),
  ).toMatchObject({
    output: { said: ['***', '***'] },
  })
})

it('nor in what a rule says about it', async () => {
  const check = ({ token }: JsonObject) => [{ path: 'token', message: `${token} is too old` }]
  const action = actionThat(() => ({}), { check })
  const error: unknown = await runWithSecrets(
    action,
    {},
    positions,
    createRunSecrets(store, []),
    contextWith(),
  ).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({ code: 'InvalidInput', notSent: true })
  expect(inspect(error, { depth: 9 })).not.toContain(word)
})

it('nor in the answer of a request that repeats it, nor in its error', async () => {
  let status = 200
  const server = await startStandIn(({ headers }, response) => {
    const said = String(headers['x-key'])
    response.writeHead(status, { 'content-type': 'application/json', 'x-echo': said, 'x-request-id': said })
    response.end(
      JSON.stringify({ message: `key ${said}`, [`k-${said}`]: Buffer.from(said).toString('base64') }),
    )
  })
  const http = createActions().find(({ name }) => name === 'core/http')
  if (!http) throw new Error('there is no core/http')
  const at = [{ path: ['secret-headers', 'X-Key', 'secret'], name: 'word' }]
  const send = (): Promise<unknown> =>
    runWithSecrets(http, { url: server.baseUrl }, at, createRunSecrets(store, []), contextWith()).catch(
      (thrown: unknown) => thrown,
    )
  const answer = await send()
  status = 403
  const error = await send()
  expect(server.received.map(({ headers }) => headers['x-key'])).toEqual([word, word])
  expect(answer).toMatchObject({
    output: { status: 200, body: { message: 'key ***' } },
    warnings: ['the answer held a secret of the run: masked'],
  })
  expect(error).toMatchObject({ code: 'HttpRefused', message: expect.stringContaining('HTTP 403: key ***') })
  expect(inspect([answer, error], { depth: 9 })).not.toMatch(new RegExp(`${word}|${base64}`))
})
