import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { failureOf } from './failure-of.ts'
import { allowed, refused, unlisted } from './field-cases.ts'
import { methodOf, type OperationId, openService, validBodies } from './open-service.ts'
import { proves } from './statements.ts'

const service = await openService()

/** The valid body with a change; what is `undefined` is left out, as it is on the wire. */
function changed(id: OperationId, change: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const fields = Object.entries({ ...validBodies[id], ...change })
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined))
}

const titled = <Row extends readonly [`§${string}`, OperationId, object, ...unknown[]]>(
  rows: readonly Row[],
): readonly (readonly [title: string, ...row: Row])[] =>
  rows.map((row) => [`${proves(row[0])} ${inspect(row[2], { depth: 4 }).slice(0, 90)}`, ...row])

/** The sandbox quotes no names in a path, the client those that are no plain words. */
const clientPath = (field: string): string => field.replace(/^the service/, '["the service"]')

describe('what both refuse', () => {
  it.each(titled(refused))('%s', async (_title, _id, operation, change, field) => {
    const body = changed(operation, change)
    const arrived = await service.receivedDuring(async () => {
      const failure = await failureOf(service.through(operation, body))
      expect(failure).toMatchObject({ code: 'InvalidInput', notSent: true })
      expect(failure.details).toMatchObject({ problems: [{ path: clientPath(field) }] })
      expect(failure.message).toContain(clientPath(field))
    })
    expect(arrived).toEqual([])
    await expectRefusal(operation, body, field)
  })
})

describe('what the sandbox alone refuses', () => {
  it.each(titled(unlisted))('%s', async (_title, _id, operation, change, field) => {
    const body = changed(operation, change)
    expect(service.client().check(methodOf(operation), body as never)).toEqual([])
    const failure = await failureOf(service.through(operation, body))
    expect(failure).toMatchObject({ code: 'InvalidParameter', message: expect.stringContaining(field) })
    await expectRefusal(operation, body, field)
  })

  it(`${proves('§newer.values')} the warning`, async () => {
    const data = { agent_id: 'a', application_id: 'b', application_name: 'c', client_token: 'd' }
    service.gateway.change = (answer) => ({ ...answer, status: 200, body: JSON.stringify({ data }) })
    const client = service.client({ baseUrl: service.gateway.url })
    const { warnings } = await client.createApplication({ ...validBodies.E2, type: 'miniprogram' })
    expect(warnings).toEqual([expect.stringMatching(/^type .*"browser", "ios"/)])
    const long = { ...validBodies.E1, instructions: '😀'.repeat(2001) }
    expect((await client.createAgent(long)).warnings).toEqual([
      'instructions has 2001 characters; the document allows 2000',
    ])
  })
})

describe('what both allow', () => {
  it.each(titled(allowed))('%s', async (_title, _id, operation, change) => {
    const body = changed(operation, change)
    const [arrived, ...more] = await service.receivedDuring(() => service.through(operation, body))
    expect(more).toEqual([])
    expect(arrived).toMatchObject({ status: 200, code: 'OK', executed: true, body, unknown_fields: [] })
  })
})

async function expectRefusal(operation: OperationId, body: object, field: string): Promise<void> {
  const { status, json } = await service.call(operation, body)
  expect({ status, code: json.error?.code, field: json.error?.message.split(': ')[0] }).toEqual({
    status: 400,
    code: 'InvalidParameter',
    field,
  })
}
