import { describe, expect, it } from 'vitest'
import { type OperationId, openFileSandbox } from './open-sandbox.ts'

const sandbox = await openFileSandbox({ limits: false, shape: 'newer' })

describe('the newer shapes', () => {
  it.each(['E1', 'E2', 'E3', 'E4', 'E5', 'E7', 'E8', 'E9', 'catalog'] as const)(
    '%s: success is an error code OK, and the id comes under another header',
    async (id: OperationId) => {
      const { json, headers } = await sandbox.call(id)
      expect(json).toEqual({
        request_id: headers['vendor-request-id'],
        data: expect.any(Object),
        error: { code: 'OK', message: '' },
      })
      expect(headers['service-request-id']).toBeUndefined()
    },
  )

  it('E4 and the catalog: a request-level error without a list, and without a target of no known kind', async () => {
    const error = { code: 'target_unavailable', message: expect.any(String) }
    const { data } = (
      await sandbox.call('E4', { target_locator: 'down-01', tools: [{ tool: 'os.cpu', params: {} }] })
    ).json
    expect(data).toEqual({ error })
  })

  it('E3: the trace integration under its name on the wire', async () => {
    const [item] = (await sandbox.call('E3')).json.data.items
    expect(item.tracing).toMatchObject({ enabled: true, open_type: 'popup' })
    expect(item).not.toHaveProperty('the service')
  })

  it('leave errors as they are', async () => {
    const { json, status } = await sandbox.call('E8', {}, 'nobody')
    expect({ status, ...json }).toEqual({
      status: 401,
      request_id: expect.any(String),
      error: { code: 'Unauthorized', message: expect.any(String) },
    })
  })

  it('can be switched while it runs, or asked for call by call', async () => {
    await sandbox.control('config', { shape: 'document' })
    await sandbox.control('faults', [{ operation: 'E7', times: 1, newer_shape: true }])
    const keys = async (): Promise<readonly string[]> => Object.keys((await sandbox.call('E7')).json)
    expect(await keys()).toEqual(['request_id', 'data', 'error'])
    expect(await keys()).toEqual(['request_id'])
  })
})
