import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { newFolder, opsbook } from '../cli/support/opsbook.ts'

it('doctor says once that it does not use a file, and calls nothing ok that the file decides about', async () => {
  const above = await newFolder({ 'opsbook.yaml': 'data-dir: elsewhere\nhttp: { deny-private: true }\n' })
  const folder = join(above, 'repository')
  await mkdir(join(folder, '.git'), { recursive: true })
  const { code, stdout } = await opsbook(['doctor'], { folder })
  const json = await opsbook(['doctor', '-o', 'json'], { folder })
  expect(code).toBe(5)
  expect(stdout.match(/is not used/g)).toHaveLength(1)
  const of = (status: string): readonly string[] =>
    JSON.parse(json.stdout)
      .checks.filter((check: { status: string }) => check.status === status)
      .map(({ name }: { name: string }) => name)
  expect(of('ok')).toEqual(['node', 'proxies'])
  expect(of('fail')).toEqual(['configuration'])
  expect(of('skipped')).toEqual(['data directory', 'http', 'secrets', 'connection'])
  expect(stdout).toContain('not checked')
})
