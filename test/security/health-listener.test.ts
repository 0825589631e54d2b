/** A sender that reaches the hooks reads names of runbooks and counts of runs. */
import { expect, it } from 'vitest'
import { newFolder } from '../cli/support/opsbook.ts'
import { startServing } from './support/serve-in-process.ts'

const serve = async (...words: readonly string[]) =>
  startServing(['--sandbox', '--data-dir', 'data', ...words], { folder: await newFolder() })

const paths = ['/healthz', '/readyz', '/metrics']

it('where others reach the hooks, health and metrics are on a listener of their own', async () => {
  const words = ['--listen', '0.0.0.0:0', '--listen-health', '127.0.0.1:0']
  const { url, healthUrl } = await serve(...words)
  const hooks = url.replace('0.0.0.0', '127.0.0.1')
  expect(await statuses(hooks)).toEqual([404, 404, 404])
  expect(await statuses(healthUrl)).toEqual([200, 200, 200])
  expect((await fetch(`${healthUrl}/hooks/any`, { method: 'POST' })).status).toBe(404)
})

it('by default that one is of this machine alone', async () => {
  // Another serve on this machine may have the port.
  const inUse = '127.0.0.1:8689 is in use'
  const served = await serve('--listen', '0.0.0.0:0').catch(String)
  if (typeof served === 'string') return expect(served).toContain(inUse)
  expect(served.healthUrl).toBe('http://127.0.0.1:8689')
  expect(await statuses(served.healthUrl)).toEqual([200, 200, 200])
  await expect(serve('--listen', '0.0.0.0:0')).rejects.toThrow(inUse)
})

it('on this machine one listener has all', async () => {
  const { url, healthUrl } = await serve()
  expect(healthUrl).toBe(url)
  expect(await statuses(url)).toEqual([200, 200, 200])
})

function statuses(url: string): Promise<readonly number[]> {
  return Promise.all(paths.map(async (path) => (await fetch(url + path)).status))
}
