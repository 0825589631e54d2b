import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type Sandbox, startSandbox } from 'opsbook/sandbox'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'

const page = readFileSync(new URL('../../docs/client.md', import.meta.url), 'utf8')
const examples = [...page.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = ''], index) => ({ index, code }))

let sandbox: Sandbox
let folder: string
beforeAll(async () => {
  sandbox = await startSandbox()
  // Inside the project, so that the examples find the library by its name.
  folder = await mkdtemp(fileURLToPath(new URL('../../node_modules/.examples-', import.meta.url)))
})
afterAll(async () => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true, force: true })
  await sandbox.close()
})

it.each(examples)('example $index of docs/client.md runs as it stands', async ({ index, code }) => {
  vi.stubEnv('OPSBOOK_BASE_URL', sandbox.url)
  vi.stubEnv('OPSBOOK_APP_KEY', 'sandbox-owner')
  const said: unknown[][] = []
  vi.spyOn(console, 'log').mockImplementation((...words) => said.push(words))
  const file = join(folder, `example-${index}.ts`)
  writeFileSync(file, code)
  await import(/* @vite-ignore */ pathToFileURL(file).href)
  vi.restoreAllMocks()
  // Every example that says something says what happened.
  if (code.includes('console.log')) expect(said.flat()).not.toEqual([])
})

it('has examples', () => {
  expect(examples.length).toBeGreaterThan(5)
})
