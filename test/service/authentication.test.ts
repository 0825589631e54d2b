import type { CallLog } from 'opsbook/api'
import { describe, expect, it } from 'vitest'
import { expectNoSecret, failureOf, outcomeOf } from './failure-of.ts'
import { callThrough, openService, operationIds, paths, validBodies } from './open-service.ts'
import { proves } from './statements.ts'

const service = await openService()

/** A key that looks different in every encoding. */
const wrongKey = 'Wr0ng/Key+with=signs&more%41ü'
const keys = ['sandbox-owner', 'sandbox-member', 'sandbox-guest', 'sandbox-other'] as const
const json = { 'content-type': 'application/json' }

describe('the key', () => {
  it.each(operationIds)(`${proves('§auth.1')} %s`, async (id) => {
    const body = JSON.stringify(validBodies[id])
    const headers = { ...json, app_key: 'sandbox-owner', authorization: 'Bearer sandbox-owner' }
    for (const [path, status] of [
      [paths[id], 401],
      [`${paths[id]}?key=sandbox-owner`, 401],
      [`${paths[id]}?app_key=sandbox-owner`, 200],
    ] as const) {
      expect((await service.send(path, { headers, body })).status).toBe(status)
    }
    await callThrough(service.client({ baseUrl: service.gateway.url }), id, validBodies[id], service.file())
    const sent = service.gateway.requests.at(-1)
    expect(sent?.url).toBe(`${paths[id]}?app_key=sandbox-owner`)
    expectNoSecret([sent?.headers, sent?.body])
  })

  it.each(operationIds)(`${proves('§auth.3', '§status.401')} %s`, async (id) => {
    for (const appKey of [wrongKey, 'sandbox-owner2', 'SANDBOX-OWNER']) {
      const [arrived] = await service.receivedDuring(async () => {
        const call = callThrough(service.client({ appKey }), id, validBodies[id], service.file())
        expect(await failureOf(call, [appKey])).toMatchObject({ code: 'Unauthorized' })
      })
      expect(arrived).toMatchObject({ status: 401, code: 'Unauthorized', key: null, executed: false })
    }
  })
})

/** Everything that can come back instead of an answer, most of it with the key in it. */
const spoiled = [
  { error: { code: 'BadRequest', message: `no such key: ${wrongKey}` } },
  { error: { code: wrongKey, message: '' } },
  { html: 502 },
  { redirect: `https://login.example.com/?app_key=${encodeURIComponent(wrongKey)}` },
  { broken_json: true },
  { empty_body: true },
  { wrong_content_type: 'text/html' },
  { close_before: true },
  { close_after: true },
]

describe('a secret', () => {
  it.each(operationIds)(`${proves('§auth.2')} %s`, async (id) => {
    const logged: CallLog[] = []
    const log = (fields: CallLog, message: string): void => {
      logged.push({ ...fields, operation: `${fields.operation} ${message}` })
    }
    const client = service.client({ appKey: wrongKey, logger: { debug: log, warn: log } })
    await service.control(
      'faults',
      spoiled.map((fault) => ({ operation: id, times: 1, ...fault })),
    )
    for (const _ of spoiled) {
      await failureOf(callThrough(client, id, validBodies[id], service.file()), [wrongKey])
    }
    const { faults } = await service.control('faults')
    expect(faults.map(({ left }: { left: number }) => left)).toEqual(spoiled.map(() => 0))
    expect(logged).toHaveLength(spoiled.length)
    expectNoSecret([logged, client], [wrongKey])
  })

  it(`${proves('§auth.2')} in a page that quotes the address`, async () => {
    service.gateway.change = (answer, { url }) => ({
      ...answer,
      status: 502,
      headers: { 'content-type': 'text/html' },
      body: `<p>Cannot reach ${url}</p>`,
    })
    const call = service
      .client({ appKey: wrongKey, baseUrl: service.gateway.url })
      .listIngestionRules(validBodies.E9)
    expect(await failureOf(call, [wrongKey])).toMatchObject({ code: 'ForeignAnswer' })
  })

  it(`${proves('§auth.2')} in results`, async () => {
    for (const id of operationIds) expectNoSecret(await service.through(id))
  })
})

const denied = [
  ['E1', 'sandbox-guest'],
  ['E2', 'sandbox-guest'],
  ['E6', 'sandbox-other'],
  ['E7', 'sandbox-guest'],
  ['E8', 'sandbox-guest'],
  ['E9', 'sandbox-guest'],
] as const

describe('permissions', () => {
  it.each(denied)(`${proves('§auth.4', '§status.403')} %s`, async (id, key) => {
    const [arrived] = await service.receivedDuring(async () => {
      const call = service.through(id, validBodies[id], key)
      expect(await failureOf(call)).toMatchObject({ code: 'AccessDenied' })
    })
    expect(arrived).toMatchObject({ status: 403, code: 'AccessDenied', key, executed: false })
  })

  const team = (team_id: number): object => ({ ...validBodies.E1, team_id })
  const matrix = [
    ['E1', team(1), ['OK', 'OK', 'AccessDenied', 'AccessDenied']],
    ['E1', team(0), ['OK', 'AccessDenied', 'AccessDenied', 'OK']],
    ['E2', validBodies.E2, ['OK', 'OK', 'AccessDenied', 'ResourceNotFound']],
    ['E3', validBodies.E3, ['OK', 'OK', 'OK', 'OK']],
    ['E4', validBodies.E4, ['OK', 'OK', 'OK', 'target_unavailable']],
    ['catalog', validBodies.catalog, ['OK', 'OK', 'OK', 'target_unavailable']],
    ['E5', validBodies.E5, ['OK', 'OK', 'OK', 'ResourceNotFound']],
    ['E6', validBodies.E6, ['OK', 'OK', 'OK', 'AccessDenied']],
    ['E7', validBodies.E7, ['OK', 'OK', 'AccessDenied', 'ResourceNotFound']],
    ['E8', validBodies.E8, ['OK', 'OK', 'AccessDenied', 'ResourceNotFound']],
    ['E9', validBodies.E9, ['OK', 'OK', 'AccessDenied', 'ResourceNotFound']],
  ] as const
  const everyKey = proves('§E3.permission', '§E4.permission', '§E5.permission', '§E6.permission')
  it.each(matrix)(`${proves('§auth.5')} ${everyKey} %s %j`, async (id, body, expected) => {
    const outcomes: string[] = []
    for (const key of keys) outcomes.push(await outcomeOf(service.through(id, body, key)))
    expect(outcomes).toEqual(expected)
  })
})
